//! What the formats of `printf` and `scanf` make of the arguments that follow them.

use core::ffi::c_void;

/// The arguments of a function with any number of them, as a compiler lists them (`va_list`).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Arguments {
    /// Where the next one is among the registers that were saved, and the same for floating point.
    general: u32,
    floating: u32,
    /// The next one that was passed on the stack.
    stack: usize,
    registers: usize,
}

/// Where the general registers end, and those for floating point, in bytes.
const GENERAL: u32 = 48;
const FLOATING: u32 = 176;

impl Arguments {
    /// A list to go through; the given one stays as it is.
    pub fn of(list: *const c_void) -> Arguments {
        // SAFETY: the program passes a list, or `with_list` made it.
        unsafe { *list.cast() }
    }

    /// The next one, a number or an address.
    pub fn next(&mut self) -> usize {
        let place = if self.general < GENERAL {
            self.general += 8;
            self.registers + self.general as usize - 8
        } else {
            self.take_from_stack(8, 8)
        };
        // SAFETY: the format says that there is one.
        unsafe { *(place as *const usize) }
    }

    /// Passes over a number with a fraction.
    fn skip_floating(&mut self, size: Size) {
        if size == Size::Longest {
            self.take_from_stack(16, 16);
        } else if self.floating < FLOATING {
            self.floating += 16;
        } else {
            self.take_from_stack(8, 8);
        }
    }

    fn take_from_stack(&mut self, alignment: usize, size: usize) -> usize {
        let place = self.stack.next_multiple_of(alignment);
        self.stack = place + size;
        place
    }
}

/// The letters that say how large something is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    Char,
    Short,
    Plain,
    Long,
    /// Of numbers with a fraction; others are as large as long ones.
    Longest,
}

impl Size {
    fn of_integer(self) -> usize {
        match self {
            Size::Char => 1,
            Size::Short => 2,
            Size::Plain => 4,
            Size::Long | Size::Longest => 8,
        }
    }

    fn of_floating(self) -> usize {
        match self {
            Size::Long => 8,
            // So many bytes are stored.
            Size::Longest => 10,
            _ => 4,
        }
    }
}

/// The rest of a format.
struct Format(*const u8);

impl Format {
    fn peek(&self) -> u8 {
        // SAFETY: the program passes a text; nobody goes past the zero at its end.
        unsafe { *self.0 }
    }

    fn advance(&mut self) -> u8 {
        let byte = self.peek();
        if byte != 0 {
            // SAFETY: as above.
            self.0 = unsafe { self.0.add(1) };
        }
        byte
    }

    /// Is this the next one? Then it is passed over.
    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == byte;
        if is_next {
            self.advance();
        }
        is_next
    }

    /// Goes on behind the next sign that something is to be converted. False if there is none.
    fn finds_conversion(&mut self) -> bool {
        loop {
            match self.advance() {
                0 => return false,
                b'%' => return true,
                _ => {}
            }
        }
    }

    fn number(&mut self) -> Option<usize> {
        let mut number = None;
        while self.peek().is_ascii_digit() {
            let digit = usize::from(self.advance() - b'0');
            number = Some(number.unwrap_or(0_usize).saturating_mul(10).saturating_add(digit));
        }
        number
    }

    fn size(&mut self) -> Size {
        match self.peek() {
            b'h' => {
                self.advance();
                if self.takes(b'h') { Size::Char } else { Size::Short }
            }
            b'l' => {
                self.advance();
                self.takes(b'l');
                Size::Long
            }
            b'q' | b'j' | b'z' | b't' => {
                self.advance();
                Size::Long
            }
            b'L' => {
                self.advance();
                Size::Longest
            }
            _ => Size::Plain,
        }
    }

    /// Passes over the characters between brackets.
    fn skip_set(&mut self) {
        self.takes(b'^');
        // As the first one it is one of the set.
        self.takes(b']');
        while !matches!(self.advance(), 0 | b']') {}
    }
}

/// What is done to memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Touched {
    /// A text is read, at most so many bytes of it.
    Text(usize),
    /// So many bytes are written.
    Bytes(usize),
    /// A text is written, of at most so many bytes without the zero at its end.
    NewText(usize),
}

/// What printing with a format does to memory beside where it prints to: `visit` gets each address. Of texts of wide characters nothing is
/// known.
pub fn printed(format: *const u8, mut arguments: Arguments, mut visit: impl FnMut(usize, Touched)) {
    if is_numbered(format) {
        return printed_by_number(format, arguments, visit);
    }
    let mut format = Format(format);
    while format.finds_conversion() {
        while matches!(format.peek(), b'-' | b'+' | b' ' | b'#' | b'0' | b'\'' | b'I') {
            format.advance();
        }
        if format.takes(b'*') {
            arguments.next();
        }
        format.number();
        let mut most = usize::MAX;
        if format.takes(b'.') {
            if format.takes(b'*') {
                // A negative one is as good as none.
                most = usize::try_from(arguments.next() as i32).unwrap_or(usize::MAX);
            } else {
                most = format.number().unwrap_or(0);
            }
        }
        let size = format.size();
        match format.advance() {
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'c' | b'C' | b'p' | b'S' => {
                arguments.next();
            }
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => arguments.skip_floating(size),
            b's' => {
                let text = arguments.next();
                if text != 0 && size == Size::Plain {
                    visit(text, Touched::Text(most));
                }
            }
            b'n' => visit(arguments.next(), Touched::Bytes(size.of_integer())),
            b'm' | b'%' => {}
            _ => return,
        }
    }
}

/// Does a format name its arguments by number? Then it does so for all of them.
fn is_numbered(format: *const u8) -> bool {
    let mut format = Format(format);
    while format.finds_conversion() {
        if !format.takes(b'%') {
            return format.number().is_some() && format.peek() == b'$';
        }
    }
    false
}

/// So many arguments at most can be named by number.
const NUMBERED: usize = 32;

/// How an argument is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passed {
    General,
    Floating(Size),
}

/// A number before a dollar sign: the position of an argument.
fn position(format: &mut Format) -> Option<usize> {
    let number = format.number()?;
    (format.takes(b'$') && (1..=NUMBERED).contains(&number)).then(|| number - 1)
}

/// The conversions of a format that names its arguments by number: `visit` gets each argument, how it is passed, and what is done with it: the letter, the
/// size, and the most that is printed of it, or the argument with that. `None` if the format is not of this kind.
fn each_numbered(format: *const u8, mut visit: impl FnMut(usize, Passed, u8, Size, Most)) -> Option<()> {
    let mut format = Format(format);
    while format.finds_conversion() {
        if format.takes(b'%') {
            continue;
        }
        let number = position(&mut format)?;
        while matches!(format.peek(), b'-' | b'+' | b' ' | b'#' | b'0' | b'\'' | b'I') {
            format.advance();
        }
        if format.takes(b'*') {
            visit(position(&mut format)?, Passed::General, 0, Size::Plain, Most::Bytes(0));
        }
        format.number();
        let mut most = Most::Bytes(usize::MAX);
        if format.takes(b'.') {
            most = if format.takes(b'*') {
                let number = position(&mut format)?;
                visit(number, Passed::General, 0, Size::Plain, Most::Bytes(0));
                Most::Argument(number)
            } else {
                Most::Bytes(format.number().unwrap_or(0))
            };
        }
        let size = format.size();
        let letter = format.advance();
        let is_floating = matches!(letter, b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G');
        visit(number, if is_floating { Passed::Floating(size) } else { Passed::General }, letter, size, most);
    }
    Some(())
}

/// How much of a text is printed.
#[derive(Clone, Copy)]
enum Most {
    Bytes(usize),
    Argument(usize),
}

/// First it must be known how each argument is passed, so the format is gone through twice.
fn printed_by_number(format: *const u8, mut arguments: Arguments, mut visit: impl FnMut(usize, Touched)) {
    let mut passed = [None; NUMBERED];
    if each_numbered(format, |number, how, _, _, _| passed[number] = Some(how)).is_none() {
        return;
    }
    let mut values = [0; NUMBERED];
    for (value, how) in values.iter_mut().zip(passed) {
        match how {
            Some(Passed::General) => *value = arguments.next(),
            Some(Passed::Floating(size)) => arguments.skip_floating(size),
            // Nobody knows where those behind it are.
            None => break,
        }
    }
    each_numbered(format, |number, _, letter, size, most| {
        let most = match most {
            Most::Bytes(most) => most,
            Most::Argument(number) => usize::try_from(values[number] as i32).unwrap_or(usize::MAX),
        };
        match letter {
            b's' if size == Size::Plain && values[number] != 0 => visit(values[number], Touched::Text(most)),
            b'n' if values[number] != 0 => visit(values[number], Touched::Bytes(size.of_integer())),
            _ => {}
        }
    });
}

/// What scanning with a format writes: `visit` gets each address, and how many conversions must succeed at least if it is written.
pub fn scanned(format: *const u8, mut arguments: Arguments, mut visit: impl FnMut(usize, Touched, usize)) {
    let mut format = Format(format);
    let mut n_before = 0;
    while format.finds_conversion() {
        let is_dropped = format.takes(b'*');
        let width = format.number();
        if format.peek() == b'$' {
            return;
        }
        let makes_room = format.takes(b'm');
        let size = format.size();
        let kind = format.advance();
        if kind == b'[' {
            format.skip_set();
        }
        let letter = if size == Size::Long || matches!(kind, b'C' | b'S') { 4 } else { 1 };
        let touched = match kind {
            b'%' => continue,
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'n' => Touched::Bytes(size.of_integer()),
            b'p' => Touched::Bytes(8),
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => Touched::Bytes(size.of_floating()),
            _ if makes_room => Touched::Bytes(8),
            b'c' | b'C' => Touched::Bytes(width.unwrap_or(1).saturating_mul(letter)),
            b's' | b'[' if letter == 1 => Touched::NewText(width.unwrap_or(usize::MAX)),
            // Of wide characters, only that there is one.
            b's' | b'[' | b'S' => Touched::Bytes(letter),
            _ => return,
        };
        if is_dropped {
            continue;
        }
        // How far it got is no conversion.
        n_before += usize::from(kind != b'n');
        visit(arguments.next(), touched, n_before);
    }
}
