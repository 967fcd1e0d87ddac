//! Reads instructions of x86-64 as far as needed to tell which memory a function touches: where
//! each ends, which memory it names, and what becomes of the addresses in registers.
//!
//! What is not an instruction, as a table between functions, is passed over byte by byte.

/// What an instruction makes of the registers, as far as addresses are concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    /// These registers are something else afterwards.
    Overwrites(u16),
    /// The register becomes the address of something.
    TakesAddress(u8),
    /// The first becomes what the second is.
    Copies(u8, u8),
    /// Something is added to the first: the second, if there is one.
    Adds(u8, Option<u8>),
}

/// Where it goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Next {
    Follows,
    MayJump(u64),
    Jumps(u64),
    /// Nowhere, or nobody knows.
    Leaves,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    start: u64,
    pub length: usize,
    operand: Operand,
    is_access: bool,
    /// It reads and writes memory so that no other processor comes between.
    pub is_atomic: bool,
    effect: Effect,
    next: Next,
}

/// The instructions of code that begins at an address.
pub fn instructions(code: &[u8], start: u64) -> Vec<Instruction> {
    let mut at = 0;
    let mut found = Vec::new();
    while at < code.len() {
        match read(&code[at..], start + at as u64) {
            Some(instruction) if at + instruction.length <= code.len() => {
                found.push(instruction);
                at += instruction.length;
            }
            _ => at += 1,
        }
    }
    found
}

const STACK_POINTER: u8 = 4;
const FRAME_POINTER: u8 = 5;

/// Does a function touch memory that others may know: a variable, or what it was given a pointer
/// to? The stack is not such memory, nor are constants, whatever register their address is in.
/// `is_variable` tells of an address whether a variable is there.
pub fn touches_memory(function: &[Instruction], is_variable: impl Fn(u64) -> bool) -> bool {
    // For each instruction, the registers that hold the address of something harmless, whichever
    // way it is reached.
    let mut known: Vec<Option<u16>> = vec![None; function.len()];
    let position = |address: u64| function.binary_search_by_key(&address, |one| one.start).ok();
    let is_harmless = |operand: Operand, registers: u16| match operand {
        Operand::None => true,
        Operand::Pointer(base, index) => {
            let is_known = |register: u8| registers >> register & 1 != 0;
            is_known(base) || index.is_some_and(is_known)
        }
        Operand::Place(address) => !is_variable(address),
    };
    let mut open = Vec::new();
    let reach = |known: &mut Vec<Option<u16>>, open: &mut Vec<usize>, at: usize, registers: u16| {
        let met = known[at].map_or(registers, |before| before & registers);
        if known[at] != Some(met) {
            known[at] = Some(met);
            open.push(at);
        }
    };
    // What no other instruction leads to may be reached by a jump through a table.
    let always = 1 << STACK_POINTER | u16::from(has_frame(function)) << FRAME_POINTER;
    for first in 0..function.len() {
        if known[first].is_none() {
            reach(&mut known, &mut open, first, if first == 0 { 1 << STACK_POINTER } else { always });
        }
        while let Some(at) = open.pop() {
            let one = &function[at];
            let registers = known[at].unwrap_or_default();
            let after = one.effect.after(registers, is_harmless(one.operand, registers));
            let (follows, target) = match one.next {
                Next::Follows => (true, None),
                Next::MayJump(target) => (true, position(target)),
                Next::Jumps(target) => (false, position(target)),
                Next::Leaves => (false, None),
            };
            if follows && at + 1 < function.len() {
                reach(&mut known, &mut open, at + 1, after);
            }
            if let Some(target) = target {
                reach(&mut known, &mut open, target, after);
            }
        }
    }
    function
        .iter()
        .zip(&known)
        .any(|(one, registers)| one.is_access && !is_harmless(one.operand, registers.unwrap_or_default()))
}

/// Does a function keep the pointer of its frame from its beginning to its end?
fn has_frame(function: &[Instruction]) -> bool {
    let makes = |one: &Instruction| one.effect == Effect::Copies(FRAME_POINTER, STACK_POINTER);
    let changes = |one: &Instruction| match one.effect {
        Effect::TakesAddress(register) | Effect::Copies(register, _) | Effect::Adds(register, _) => {
            register == FRAME_POINTER && !makes(one)
        }
        // To give it back at the end is an instruction of one byte.
        Effect::Overwrites(registers) => registers == 1 << FRAME_POINTER && one.length > 1,
    };
    function.iter().any(makes) && !function.iter().any(changes)
}

impl Effect {
    /// The registers with harmless addresses afterwards. The pointer of the stack stays one.
    fn after(self, registers: u16, is_harmless: bool) -> u16 {
        let set = |register: u8, is_set: bool| registers & !(1 << register) | u16::from(is_set) << register;
        let has = |register: u8| registers >> register & 1 != 0;
        let after = match self {
            Effect::Overwrites(others) => registers & !others,
            Effect::TakesAddress(register) => set(register, is_harmless),
            Effect::Copies(to, from) => set(to, has(from)),
            Effect::Adds(to, from) => set(to, has(to) || from.is_some_and(has)),
        };
        after | 1 << STACK_POINTER
    }
}

/// Which table an operation is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Map {
    OneByte,
    TwoByte,
    ThreeByte38,
    ThreeByte3A,
}

/// What stands before an operation.
#[derive(Clone, Copy, Default)]
struct Prefixes {
    is_locked: bool,
    is_short: bool,
    has_segment: bool,
    rex: u8,
    is_vector: bool,
}

fn read(code: &[u8], address: u64) -> Option<Instruction> {
    let mut prefixes = Prefixes::default();
    let mut at = 0;
    while let byte @ (0x66 | 0x67 | 0xf0 | 0xf2 | 0xf3 | 0x26 | 0x2e | 0x36 | 0x3e | 0x64 | 0x65) =
        *code.get(at)?
    {
        prefixes.is_locked |= byte == 0xf0;
        prefixes.is_short |= byte == 0x66;
        prefixes.has_segment |= byte == 0x64 || byte == 0x65;
        at += 1;
    }
    if *code.get(at)? & 0xf0 == 0x40 {
        prefixes.rex = code[at];
        at += 1;
    }
    let (map, operation_at) = match *code.get(at)? {
        0x0f => match *code.get(at + 1)? {
            0x38 => (Map::ThreeByte38, at + 2),
            0x3a => (Map::ThreeByte3A, at + 2),
            _ => (Map::TwoByte, at + 1),
        },
        0xc5 => {
            prefixes.rex = !*code.get(at + 1)? >> 5 & 4;
            prefixes.is_vector = true;
            (Map::TwoByte, at + 2)
        }
        0xc4 => {
            prefixes.rex = !*code.get(at + 1)? >> 5 & 7;
            prefixes.is_vector = true;
            (map_of(*code.get(at + 1)? & 0x1f)?, at + 3)
        }
        0x62 => {
            prefixes.rex = !*code.get(at + 1)? >> 5 & 7;
            prefixes.is_vector = true;
            (map_of(*code.get(at + 1)? & 7)?, at + 4)
        }
        _ => (Map::OneByte, at),
    };
    let operation = *code.get(operation_at)?;
    let modes = operation_at + 1;
    let (end_of_operand, operand) =
        if has_modes(map, operation)? { operand(code, modes, prefixes)? } else { (modes, Operand::None) };
    let modes = code.get(modes).copied().unwrap_or(0);
    let field = modes >> 3 & 7;
    let size_of_constant = constant(map, operation, field, prefixes);
    let length = end_of_operand + size_of_constant;
    let end = address + length as u64;
    let operand = match operand {
        Operand::Place(distance) if modes >> 6 == 0 && modes & 7 == 5 => {
            Operand::Place(end.wrapping_add(distance))
        }
        operand => operand,
    };
    let is_access = operand != Operand::None && !prefixes.has_segment && is_access(map, operation, field);
    let exchanges = map == Map::OneByte && matches!(operation, 0x86 | 0x87);
    let distance = code.get(end_of_operand..length).map_or(0, signed);
    let target = end.wrapping_add_signed(distance);
    let next = match (map, operation) {
        (Map::OneByte, 0x70..=0x7f | 0xe0..=0xe3) | (Map::TwoByte, 0x80..=0x8f) => Next::MayJump(target),
        (Map::OneByte, 0xe9 | 0xeb) => Next::Jumps(target),
        (Map::OneByte, 0xc2 | 0xc3 | 0xca | 0xcb | 0xcf | 0xf4) | (Map::TwoByte, 0x0b) => Next::Leaves,
        (Map::OneByte, 0xff) if matches!(field, 4 | 5) => Next::Leaves,
        _ => Next::Follows,
    };
    let registers = Registers {
        named: field | (prefixes.rex & 4) << 1,
        other: (modes >> 6 == 3).then_some(modes & 7 | (prefixes.rex & 1) << 3),
        in_operation: operation & 7 | (prefixes.rex & 1) << 3,
    };
    Some(Instruction {
        start: address,
        length,
        operand,
        is_access,
        is_atomic: is_access && (prefixes.is_locked || exchanges),
        effect: effect(map, operation, field, prefixes, registers),
        next,
    })
}

/// A constant of at most four bytes.
fn signed(bytes: &[u8]) -> i64 {
    let negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    let start = if negative { -1 } else { 0 };
    bytes.iter().rev().fold(start, |value, byte| value << 8 | i64::from(*byte))
}

/// The registers that an instruction names: by its byte of modes, and in the operation itself.
#[derive(Clone, Copy)]
struct Registers {
    named: u8,
    /// None if it is memory.
    other: Option<u8>,
    in_operation: u8,
}

const ALL: u16 = 0xffff;
/// What functions that are called need not keep.
const LOST_BY_CALLS: u16 = 0x0fc7;
const RAX: u16 = 1;
const RCX: u16 = 2;
const RDX: u16 = 4;

fn effect(map: Map, operation: u8, field: u8, prefixes: Prefixes, registers: Registers) -> Effect {
    let Registers { named, other, in_operation } = registers;
    let overwrites_other = Effect::Overwrites(other.map_or(0, |register| 1 << register));
    let is_long = prefixes.rex & 8 != 0;
    let nothing = Effect::Overwrites(0);
    match (map, operation) {
        // Vectors: a few of their operations put something into a usual register.
        (Map::TwoByte, 0x2c | 0x2d | 0x50 | 0xc5 | 0xd7) => Effect::Overwrites(1 << named),
        (Map::TwoByte, 0x7e) => overwrites_other,
        (Map::TwoByte, 0x10..=0x17 | 0x28..=0x2f | 0x51..=0x7f | 0xc2 | 0xc4 | 0xc6 | 0xd0..=0xff) => nothing,
        (Map::ThreeByte38, 0xf0..=0xf7) | (Map::ThreeByte3A, 0xf0 | 0x14..=0x17) => Effect::Overwrites(ALL),
        (Map::ThreeByte38 | Map::ThreeByte3A, _) => nothing,
        _ if prefixes.is_vector => nothing,
        (Map::OneByte, 0x8d) => Effect::TakesAddress(named),
        (Map::OneByte, 0x89) if is_long => match other {
            Some(to) => Effect::Copies(to, named),
            None => nothing,
        },
        (Map::OneByte, 0x8b) if is_long && other.is_some() => {
            Effect::Copies(named, other.unwrap_or_default())
        }
        (Map::OneByte, 0x01 | 0x29) if is_long => match other {
            Some(to) => Effect::Adds(to, (operation == 1).then_some(named)),
            None => nothing,
        },
        (Map::OneByte, 0x03 | 0x2b) if is_long => Effect::Adds(named, other.filter(|_| operation == 3)),
        // Addition, and what leaves the upper part of an address as it is, as to align it.
        (Map::OneByte, 0x81 | 0x83) if is_long && matches!(field, 0 | 1 | 4 | 5) => match other {
            Some(to) => Effect::Adds(to, None),
            None => nothing,
        },
        // Comparisons, and jumps.
        (Map::OneByte, 0x80..=0x83) if field == 7 => nothing,
        (
            Map::OneByte,
            0x38..=0x3f | 0x84 | 0x85 | 0x68 | 0x6a | 0x70..=0x7f | 0xa8 | 0xa9 | 0xc2 | 0xc3 | 0xe9 | 0xeb,
        ) => nothing,
        (Map::OneByte, 0x50..=0x57 | 0x90) | (Map::TwoByte, 0x0d | 0x18..=0x1f | 0x80..=0x8f | 0xa3) => {
            nothing
        }
        (Map::OneByte, 0x58..=0x5f | 0xb0..=0xbf) | (Map::TwoByte, 0xc8..=0xcf) => {
            Effect::Overwrites(1 << in_operation)
        }
        (Map::OneByte, 0x91..=0x97) => Effect::Overwrites(1 << in_operation | RAX),
        (Map::OneByte, 0x98 | 0x04 | 0x05 | 0x0c..=0x0d | 0x24..=0x25 | 0x2c..=0x2d | 0x34..=0x35) => {
            Effect::Overwrites(RAX)
        }
        (Map::OneByte, 0x99) => Effect::Overwrites(RDX),
        (Map::OneByte, 0x88 | 0xc6 | 0xc7) => overwrites_other,
        (Map::OneByte, 0x00..=0x3f | 0x80..=0x83 | 0x89 | 0xc0 | 0xc1 | 0xd0..=0xd3 | 0xfe)
            if operation & 7 < 2 || operation >= 0x80 =>
        {
            overwrites_other
        }
        (Map::OneByte, 0x00..=0x3f | 0x63 | 0x69 | 0x6b | 0x8a | 0x8b) => Effect::Overwrites(1 << named),
        (Map::OneByte, 0xf6 | 0xf7) if field < 2 => nothing,
        (Map::OneByte, 0xf6 | 0xf7) if field < 4 => overwrites_other,
        (Map::OneByte, 0xf6 | 0xf7) => Effect::Overwrites(RAX | RDX),
        (Map::OneByte, 0xff) if field < 2 => match other {
            Some(to) if is_long => Effect::Adds(to, None),
            _ => overwrites_other,
        },
        (Map::OneByte, 0xff) if matches!(field, 4..=6) => nothing,
        (Map::OneByte, 0xd8..=0xdf) => Effect::Overwrites(RAX),
        // Strings: the pointers go on where they are, the count goes down.
        (Map::OneByte, 0xa4..=0xa7 | 0xaa | 0xab) => Effect::Overwrites(RCX),
        (Map::TwoByte, 0x40..=0x4f | 0xaf | 0xb6..=0xb8 | 0xbc..=0xbf) => Effect::Overwrites(1 << named),
        (Map::TwoByte, 0x90..=0x9f | 0xa4 | 0xa5 | 0xab | 0xac | 0xad | 0xb3 | 0xba | 0xbb) => {
            overwrites_other
        }
        (Map::OneByte, 0xe8) => Effect::Overwrites(LOST_BY_CALLS),
        (Map::OneByte, 0xff) if field == 2 => Effect::Overwrites(LOST_BY_CALLS),
        (Map::OneByte, 0xc9) => Effect::Overwrites(1 << FRAME_POINTER),
        // What is rare.
        _ => Effect::Overwrites(ALL),
    }
}

fn map_of(number: u8) -> Option<Map> {
    match number {
        1 => Some(Map::TwoByte),
        2 => Some(Map::ThreeByte38),
        3 => Some(Map::ThreeByte3A),
        _ => None,
    }
}

/// Memory that an instruction names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operand {
    None,
    /// Where registers say: a base, and perhaps an index.
    Pointer(u8, Option<u8>),
    /// At a fixed place.
    Place(u64),
}

/// The operand that the byte of modes at a place stands for, and where it ends. A place is told as
/// the distance from the next instruction if it is one.
fn operand(code: &[u8], at: usize, prefixes: Prefixes) -> Option<(usize, Operand)> {
    let modes = *code.get(at)?;
    let (mode, register) = (modes >> 6, modes & 7);
    let distance = |at: usize| Some(signed(code.get(at..at + 4)?) as u64);
    let high = (prefixes.rex & 1) << 3;
    let size = [0, 1, 4, 0][mode as usize];
    match (mode, register) {
        (3, _) => Some((at + 1, Operand::None)),
        (0, 5) => Some((at + 5, Operand::Place(distance(at + 1)?))),
        (_, 4) => {
            let base = *code.get(at + 1)? & 7;
            let index = *code.get(at + 1)? >> 3 & 7 | (prefixes.rex & 2) << 2;
            let index = (index != STACK_POINTER).then_some(index);
            match (mode, base, index) {
                (0, 5, None) => Some((at + 6, Operand::Place(distance(at + 2)?))),
                (0, 5, Some(index)) => Some((at + 6, Operand::Pointer(index, None))),
                _ => Some((at + 2 + size, Operand::Pointer(base | high, index))),
            }
        }
        _ => Some((at + 1 + size, Operand::Pointer(register | high, None))),
    }
}

/// Does a byte of modes follow? None if it is no operation.
fn has_modes(map: Map, operation: u8) -> Option<bool> {
    match (map, operation) {
        (Map::OneByte, 0x00..=0x3f) => match operation & 7 {
            0..=3 => Some(true),
            4 | 5 => Some(false),
            _ => None,
        },
        (Map::OneByte, 0x60..=0x62 | 0x82 | 0x9a | 0xce | 0xd4..=0xd6 | 0xea) => None,
        (Map::OneByte, _) => Some(matches!(
            operation,
            0x63 | 0x69 | 0x6b | 0x80 | 0x81 | 0x83..=0x8f | 0xc0 | 0xc1 | 0xc6 | 0xc7 | 0xd0..=0xd3 | 0xd8..=0xdf
                | 0xf6 | 0xf7 | 0xfe | 0xff
        )),
        (Map::TwoByte, _) => Some(!matches!(
            operation,
            0x05..=0x09 | 0x0b | 0x0e | 0x30..=0x37 | 0x77 | 0x80..=0x8f | 0xa0..=0xa2 | 0xa8..=0xaa | 0xc8..=0xcf
        )),
        _ => Some(true),
    }
}

/// The length of the constant at the end.
fn constant(map: Map, operation: u8, field: u8, prefixes: Prefixes) -> usize {
    let usual = if prefixes.is_short { 2 } else { 4 };
    match (map, operation) {
        (Map::OneByte, 0x00..=0x3f) => match operation & 7 {
            4 => 1,
            5 => usual,
            _ => 0,
        },
        (Map::OneByte, 0x6a | 0x6b | 0x70..=0x80 | 0x83 | 0xa8 | 0xb0..=0xb7 | 0xc0 | 0xc1 | 0xc6 | 0xcd) => {
            1
        }
        (Map::OneByte, 0xe0..=0xe7 | 0xeb) => 1,
        (Map::OneByte, 0xb8..=0xbf) if prefixes.rex & 8 != 0 => 8,
        (Map::OneByte, 0x68 | 0x69 | 0x81 | 0xa9 | 0xb8..=0xbf | 0xc7) => usual,
        (Map::OneByte, 0xe8 | 0xe9) => 4,
        (Map::OneByte, 0xa0..=0xa3) => 8,
        (Map::OneByte, 0xc2 | 0xca) => 2,
        (Map::OneByte, 0xc8) => 3,
        (Map::OneByte, 0xf6) if field < 2 => 1,
        (Map::OneByte, 0xf7) if field < 2 => usual,
        (Map::TwoByte, 0x80..=0x8f) => 4,
        (Map::TwoByte, 0x0f | 0x70..=0x73 | 0xa4 | 0xac | 0xba | 0xc2 | 0xc4..=0xc6)
        | (Map::ThreeByte3A, _) => 1,
        _ => 0,
    }
}

/// Does the operation touch the memory that it names? Not if it only wants to know the address,
/// says what will be needed, or jumps there.
fn is_access(map: Map, operation: u8, field: u8) -> bool {
    match (map, operation) {
        (Map::OneByte, 0x8d) | (Map::TwoByte, 0x0d | 0x18..=0x1f) => false,
        (Map::OneByte, 0xff) => !matches!(field, 2 | 4),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Variables are from here on.
    const VARIABLES: u64 = 0x4000;

    fn touches(code: &[u8]) -> bool {
        let read = instructions(code, 0x1000);
        assert_eq!(read.iter().map(|one| one.length).sum::<usize>(), code.len());
        touches_memory(&read, |address| address >= VARIABLES)
    }

    #[test]
    fn constants_are_no_instructions() {
        // push %rbp; mov %rsp,%rbp; mov %rdi,-8(%rbp); mov $0,%eax; pop %rbp; ret
        assert!(!touches(&[0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0x7d, 0xf8, 0xb8, 0, 0, 0, 0, 0x5d, 0xc3]));
    }

    #[test]
    fn pointers_variables_and_the_stack_are_told_apart() {
        // mov (%rax),%eax; mov 0x4000(%rip),%eax; mov 0x10(%rip),%eax; lea 0x4000(%rip),%rax
        assert!(touches(&[0x8b, 0]));
        assert!(touches(&[0x8b, 5, 0, 0x40, 0, 0]));
        assert!(!touches(&[0x8b, 5, 0x10, 0, 0, 0]));
        assert!(!touches(&[0x48, 0x8d, 5, 0, 0x40, 0, 0]));
        // mov 8(%rsp),%eax; mov (%rbp),%eax without a frame; mov 0x404000,%eax
        assert!(!touches(&[0x8b, 0x44, 0x24, 8]));
        assert!(touches(&[0x8b, 0x45, 0]));
        assert!(touches(&[0x8b, 4, 0x25, 0, 0x40, 0x40, 0]));
        // mov (%r12),%eax has the number of the pointer of the stack, and one bit more; mov
        // %fs:0x28,%rax; nopw 0(%rax,%rax)
        assert!(touches(&[0x41, 0x8b, 4, 0x24]));
        assert!(!touches(&[0x64, 0x48, 0x8b, 4, 0x25, 0x28, 0, 0, 0]));
        assert!(!touches(&[0x66, 0x0f, 0x1f, 0x44, 0, 0]));
        // movl $1,-1(%rip): the constant is between the distance and the next instruction.
        let read = instructions(&[0xc7, 5, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0], 0x1000);
        assert_eq!(read[0].operand, Operand::Place(0x1009));
        // vmovdqu (%rdi),%ymm0; movaps %xmm0,(%rax); movabs $1,%rax
        assert!(touches(&[0xc5, 0xfe, 0x6f, 7]));
        assert!(touches(&[0x0f, 0x29, 0]));
        assert!(!touches(&[0x48, 0xb8, 1, 0, 0, 0, 0, 0, 0, 0]));
    }

    #[test]
    fn addresses_are_followed_through_registers() {
        // lea 0x10(%rip),%rdx; mov (%rdx,%rdi,4),%eax: a table of constants; the same with a
        // variable.
        assert!(!touches(&[0x48, 0x8d, 0x15, 0x10, 0, 0, 0, 0x8b, 4, 0xba]));
        assert!(touches(&[0x48, 0x8d, 0x15, 0, 0x40, 0, 0, 0x8b, 4, 0xba]));
        // lea -32(%rsp),%rax; mov %rax,%rcx; add $4,%rcx; mov (%rcx),%edx
        let local = [0x48, 0x8d, 0x44, 0x24, 0xe0, 0x48, 0x89, 0xc1, 0x48, 0x83, 0xc1, 4, 0x8b, 0x11];
        assert!(!touches(&local));
        // The same, and then the pointer that was found there is followed: mov (%rcx),%rcx; mov
        // (%rcx),%edx
        assert!(touches(&[&local[..], &[0x48, 0x8b, 9, 0x8b, 0x11]].concat()));
        // lea -32(%rsp),%rax; again: mov 8(%rax),%rax; test %rax,%rax; jne again: a list that
        // begins on the stack.
        let list = [0x48, 0x8d, 0x44, 0x24, 0xe0, 0x48, 0x8b, 0x40, 8, 0x48, 0x85, 0xc0, 0x75, 0xf7];
        assert!(touches(&list));
    }

    #[test]
    fn frames_are_known_behind_jumps_through_tables() {
        // push %rbp; mov %rsp,%rbp; jmp *%rax; mov -4(%rbp),%eax; pop %rbp; ret
        let code = [0x55, 0x48, 0x89, 0xe5, 0xff, 0xe0, 0x8b, 0x45, 0xfc, 0x5d, 0xc3];
        assert!(!touches(&code));
        // The same, but the pointer of the frame becomes something else: mov (%rsp),%rbp
        assert!(touches(&[&code[..4], &[0x48, 0x8b, 0x2c, 0x24], &code[4..]].concat()));
        // push %rbp; mov %rsp,%rbp; call; mov -4(%rbp),%eax; mov (%rdi),%eax: calls keep the one,
        // not the other.
        let call = [0x55, 0x48, 0x89, 0xe5, 0xe8, 0, 0, 0, 0, 0x8b, 0x45, 0xfc];
        assert!(!touches(&call));
        assert!(touches(&[&[0x48, 0x89, 0xe7], &call[..], &[0x8b, 7]].concat()));
    }

    #[test]
    fn atomic_instructions_are_found() {
        let is_atomic = |code: &[u8]| instructions(code, 0).iter().any(|one| one.is_atomic);
        // lock incl 0(%rip); xchg %eax,(%rdi); xchg %eax,%ecx; movl $0xf0,-16(%rbp)
        assert!(is_atomic(&[0xf0, 0xff, 5, 0, 0, 0, 0]));
        assert!(is_atomic(&[0x87, 7]));
        assert!(!is_atomic(&[0x87, 0xc1]));
        assert!(!is_atomic(&[0xc7, 0x45, 0xf0, 0xf0, 0, 0, 0]));
    }
}
