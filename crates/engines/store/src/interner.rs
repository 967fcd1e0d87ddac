//! A dictionary: values of a few words to dense ids and back.
//!
//! Values lie one after the other in address space that is reserved once, so they never move and looking one up is an
//! address computation. The table that finds them has slots of four bytes in cache lines: the id in as many bits as
//! ids of a table of this size can have, and in the bits above a tag of the value's hash, which spares nearly all
//! comparisons with other values (fourteen bits of tag with a hundred thousand values, eight with ten million). A
//! full line continues in the next one. A value costs itself and 5 to 8 bytes.
//!
//! To insert is to take the next id, to write the value, and to publish the id in the first empty slot by a compare-and-swap.
//! A thread that finds the same value there after all returns the other's id, and its own id stays unused.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};

use crate::hash::{hash_words, scale};
use crate::line::{LINE_BYTES, Line, Narrow, NarrowSlots, prefetch};
use crate::memory::{Memory, used_bytes};
use crate::{Full, Hands, OutOfMemory};

const FIRST_LINES: u64 = 16;

/// With this part of the slots taken the table wants to grow: earlier while it is small and speed is all that counts.
const CROWDED: f64 = 0.8;
const CROWDED_WHILE_SMALL: f64 = 0.6;
const SMALL_LINES: u64 = 1 << 12;
/// With this part it is full. Below 1: a search through the lines ends at an empty slot.
const FULL: f64 = 0.95;

/// Tables with more lines are worth the help of others while they grow; each takes so many at a time.
const SHARE: u64 = 1 << 9;

/// Ids stay below, so that a few threads too many cannot wrap the counter round.
const MOST_IDS: u64 = u32::MAX as u64 - (1 << 16);

/// Address space for values; more is found when this is used up.
const RESERVED_BYTES: u64 = 64 << 30;
/// Values there is room for where address space cannot be reserved.
const FIRST_VALUES: u64 = 512;

/// Gives every value of a fixed number of words an id. Equal values have equal ids, id 0 is the value with all words zero.
pub struct Interner {
    width: usize,
    table: Table,
    values: Values,
    /// With this id the table is crowded.
    crowded_at: u32,
    /// The table has no room for this id.
    id_limit: u32,
    crowded: AtomicBool,
    next: NextId,
    /// Who may help to grow.
    hands: Arc<Hands>,
}

/// Alone in its cache line: it changes with every new value.
#[repr(align(64))]
struct NextId(AtomicU32);

/// Calls a function generic in the width.
macro_rules! by_width {
    ($width:expr, $W:ident => $call:expr) => {
        match $width {
            1 => by_width!(@ 1, $W, $call),
            2 => by_width!(@ 2, $W, $call),
            3 => by_width!(@ 3, $W, $call),
            4 => by_width!(@ 4, $W, $call),
            5 => by_width!(@ 5, $W, $call),
            6 => by_width!(@ 6, $W, $call),
            7 => by_width!(@ 7, $W, $call),
            8 => by_width!(@ 8, $W, $call),
            _ => unreachable!("a width is 1 to 8"),
        }
    };
    (@ $n:literal, $W:ident, $call:expr) => {{
        const $W: usize = $n;
        $call
    }};
}

impl Interner {
    /// An empty dictionary for values of `width` words, 1 to 8. It takes a few kB and no time to speak of.
    pub fn new(width: usize) -> Result<Interner, OutOfMemory> {
        Interner::with_values(width, Values::reserve(width, RESERVED_BYTES / (width as u64 * 8))?)
    }

    fn with_values(width: usize, values: Values) -> Result<Interner, OutOfMemory> {
        assert!((1..=8).contains(&width), "values of {width} words");
        let mut interner = Interner {
            width,
            table: Table::new(FIRST_LINES, 1)?,
            values,
            crowded_at: 0,
            id_limit: 0,
            crowded: AtomicBool::new(false),
            next: NextId(AtomicU32::new(1)),
            hands: Arc::default(),
        };
        interner.set_limits();
        interner.table.id_bits = id_bits(FIRST_LINES);
        Ok(interner)
    }

    /// From now on others may help to grow.
    pub fn grow_with_help(&mut self, hands: Arc<Hands>) {
        self.hands = hands;
    }

    /// The number of words of a value.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The id of a value, a new one if need be.
    ///
    /// # Panics
    /// If the value does not have [`width`](Interner::width) words.
    #[inline]
    pub fn intern(&self, value: &[u64]) -> Result<u32, Full> {
        assert_eq!(value.len(), self.width);
        // SAFETY: the value has as many words as the width that is passed on.
        by_width!(self.width, W => self.intern_out_of_line::<W>(unsafe { &*value.as_ptr().cast() }))
    }

    /// One function per width, so that each is compiled for itself.
    #[inline(never)]
    fn intern_out_of_line<const W: usize>(&self, value: &[u64; W]) -> Result<u32, Full> {
        self.intern_array(value)
    }

    /// Asks the processor to fetch what will be looked at first when this value is interned. The hash of the value, for
    /// [`intern_hashed`](Interner::intern_hashed).
    ///
    /// # Panics
    /// If the value does not have [`width`](Interner::width) words.
    #[inline]
    pub fn prefetch(&self, value: &[u64]) -> u64 {
        let hash = by_width!(self.width, W => hash_words::<W>(value.try_into().expect("a value of the right width")));
        prefetch(self.table.line(self.table.home(hash)));
        hash
    }

    /// Like [`intern`](Interner::intern) for a value of which the hash is known.
    ///
    /// # Panics
    /// If the value does not have [`width`](Interner::width) words.
    #[inline]
    pub fn intern_hashed(&self, hash: u64, value: &[u64]) -> Result<u32, Full> {
        by_width!(self.width, W => self.find_or_add::<W>(hash, value.try_into().expect("a value of the right width")))
    }

    /// Like [`intern`](Interner::intern), quicker where the width is known at compile time.
    #[inline]
    pub fn intern_array<const W: usize>(&self, value: &[u64; W]) -> Result<u32, Full> {
        assert_eq!(W, self.width);
        self.find_or_add(hash_words(value), value)
    }

    #[inline(always)]
    fn find_or_add<const W: usize>(&self, hash: u64, value: &[u64; W]) -> Result<u32, Full> {
        debug_assert_eq!(hash, hash_words(value));
        if value.iter().fold(0, |all, word| all | word) == 0 {
            return Ok(0);
        }
        let line = self.table.line(self.table.home(hash));
        match self.find_in(line, &line.snapshot(), hash, value) {
            Some(id) => Ok(id),
            None => self.intern_slowly(hash, value),
        }
    }

    /// The value of an id that came from [`intern`](Interner::intern). For other ids some value or a panic.
    #[inline(always)]
    pub fn value(&self, id: u32) -> &[u64] {
        assert!(u64::from(id) < self.values.capacity);
        // SAFETY: in the block, which is zero where nothing was written. Whoever has the id got it through an acquiring
        // load of its slot or by having written the value, so the value is complete and does not change any more.
        unsafe { std::slice::from_raw_parts(self.values.at(id, self.width).cast(), self.width) }
    }

    /// Like [`value`](Interner::value), quicker where the width is known at compile time.
    #[inline(always)]
    pub fn value_array<const W: usize>(&self, id: u32) -> &[u64; W] {
        assert!(W == self.width && u64::from(id) < self.values.capacity);
        // SAFETY: as for `value`.
        unsafe { &*self.values.at(id, W).cast() }
    }

    /// Asks the processor to fetch the value of an id.
    #[inline(always)]
    pub fn prefetch_value(&self, id: u32) {
        if u64::from(id) < self.values.capacity {
            prefetch(self.values.at(id, self.width));
        }
    }

    /// The number of ids given out, with those that were lost between threads.
    pub fn len(&self) -> u32 {
        self.next.0.load(Ordering::Relaxed)
    }

    /// Whether there is only the value zero.
    pub fn is_empty(&self) -> bool {
        self.len() == 1
    }

    /// The memory it takes.
    pub fn bytes(&self) -> u64 {
        let table = self.table.lines.bytes() as u64;
        size_of::<Interner>() as u64 + table + self.values.bytes(self.len(), self.width)
    }

    /// Whether it is so full that it should grow soon. Cheap.
    #[inline(always)]
    pub fn wants_growth(&self) -> bool {
        self.crowded.load(Ordering::Relaxed)
    }

    /// Makes room for about twice as many values, if that was asked for since the last growth.
    pub fn grow(&mut self) -> Result<(), OutOfMemory> {
        if !std::mem::take(self.crowded.get_mut()) {
            return Ok(());
        }
        let used = *self.next.0.get_mut();
        if u64::from(used) >= MOST_IDS {
            return Err(OutOfMemory);
        }
        if u64::from(used) >= (self.values.capacity as f64 * CROWDED) as u64 {
            self.values = self.values.moved(used, self.width)?;
        }
        if u64::from(used) >= crowded_at(self.table.n_lines) {
            by_width!(self.width, W => self.grow_table::<W>())?;
        }
        self.set_limits();
        Ok(())
    }

    fn grow_table<const W: usize>(&mut self) -> Result<(), OutOfMemory> {
        let n_lines = match self.table.n_lines {
            n if n < 1 << 10 => n * 4,
            n if n < 1 << 14 => n * 2,
            n => n + n / 2,
        };
        let table = Table::new(n_lines, id_bits(n_lines))?;
        let fills: Vec<AtomicU8> = (0..n_lines).map(|_| AtomicU8::new(0)).collect();
        let end = self.table.n_lines;
        if self.hands.are_several() && end > SHARE {
            let next = AtomicU64::new(0);
            // The order of lines stays about the same, so threads seldom meet.
            self.hands.share(&|| {
                let mut was_left = false;
                loop {
                    let first = next.fetch_add(SHARE, Ordering::Relaxed);
                    if first >= end {
                        return was_left;
                    }
                    self.move_lines::<W>(first..end.min(first + SHARE), &table, &fills, false);
                    was_left = true;
                }
            });
        } else {
            self.move_lines::<W>(0..end, &table, &fills, true);
        }
        self.table = table;
        Ok(())
    }

    /// Puts the ids of some lines into another table; `alone` if no other thread does.
    fn move_lines<const W: usize>(&self, lines: Range<u64>, table: &Table, fills: &[AtomicU8], alone: bool) {
        for line in lines {
            // Values lie in the order of their ids, which is no order here: fetch those of a later line meanwhile.
            if line + 2 < self.table.n_lines {
                self.table.ids(line + 2).for_each(|id| prefetch(self.values.at(id, W)));
            }
            for id in self.table.ids(line) {
                table.push(id, hash_words(self.values.get::<W>(id)), fills, alone);
            }
        }
    }

    fn set_limits(&mut self) {
        let n_lines = self.table.n_lines;
        self.id_limit = full_at(n_lines).min(self.values.capacity) as u32;
        self.crowded_at =
            crowded_at(n_lines).min((self.values.capacity as f64 * CROWDED) as u64).min(MOST_IDS) as u32;
    }

    /// Looks for a value among slots read from a line.
    #[inline(always)]
    fn find_in<const W: usize>(
        &self,
        line: &Narrow,
        slots: &NarrowSlots,
        hash: u64,
        value: &[u64; W],
    ) -> Option<u32> {
        let (tag, tag_mask) = self.table.tag(hash);
        let mut candidates = slots.equal_masked(tag_mask, tag);
        while candidates != 0 {
            // Loaded again to see the value that was written before the id.
            let slot = line.0[candidates.trailing_zeros() as usize].load(Ordering::Acquire);
            if slot == 0 {
                // A tag of zeros looks like an empty slot.
                return None;
            }
            let id = slot & !tag_mask;
            if equal(self.values.get::<W>(id), value) {
                return Some(id);
            }
            candidates &= candidates - 1;
        }
        None
    }

    /// For values that are new or not in the first line.
    #[inline(never)]
    fn intern_slowly<const W: usize>(&self, hash: u64, value: &[u64; W]) -> Result<u32, Full> {
        let mut at = self.table.home(hash);
        let mut own = None;
        loop {
            let line = self.table.line(at);
            // One look for both questions: between two another thread could add this value.
            let slots = line.snapshot();
            if let Some(id) = self.find_in(line, &slots, hash, value) {
                return Ok(id);
            }
            let empty = slots.equal(0);
            if empty == 0 {
                at = self.table.after(at);
                continue;
            }
            let id = match own {
                Some(id) => id,
                None => self.add(value)?,
            };
            own = Some(id);
            let slot = &line.0[empty.trailing_zeros() as usize];
            let tagged = self.table.tag(hash).0 | id;
            if slot.compare_exchange(0, tagged, Ordering::Release, Ordering::Relaxed).is_ok() {
                return Ok(id);
            }
        }
    }

    /// Writes a value under a new id.
    fn add<const W: usize>(&self, value: &[u64; W]) -> Result<u32, Full> {
        let next = &self.next.0;
        if next.load(Ordering::Relaxed) >= self.id_limit {
            self.crowded.store(true, Ordering::Relaxed);
            return Err(Full);
        }
        let id = next.fetch_add(1, Ordering::Relaxed);
        if id >= self.id_limit {
            self.crowded.store(true, Ordering::Relaxed);
            return Err(Full);
        }
        if id == self.crowded_at {
            self.crowded.store(true, Ordering::Relaxed);
        }
        let place = self.values.at(id, W);
        for (i, &word) in value.iter().enumerate() {
            // SAFETY: the id is below the capacity, so its words are in the block.
            unsafe { (*place.add(i)).store(word, Ordering::Relaxed) };
        }
        Ok(id)
    }
}

/// Without the call and the early exit that `==` of arrays comes down to.
#[inline(always)]
fn equal<const W: usize>(a: &[u64; W], b: &[u64; W]) -> bool {
    (0..W).fold(0, |difference, i| difference | (a[i] ^ b[i])) == 0
}

fn crowded_at(n_lines: u64) -> u64 {
    let load = if n_lines < SMALL_LINES { CROWDED_WHILE_SMALL } else { CROWDED };
    (n_lines as f64 * Narrow::SLOTS as f64 * load) as u64
}

fn full_at(n_lines: u64) -> u64 {
    ((n_lines as f64 * Narrow::SLOTS as f64 * FULL) as u64).min(MOST_IDS)
}

/// Bits of the ids in a table of so many lines.
fn id_bits(n_lines: u64) -> u32 {
    64 - full_at(n_lines).leading_zeros()
}

/// Where the ids are, by hash.
struct Table {
    lines: Memory,
    n_lines: u64,
    /// The low bits of a slot, for the id. The others are the tag.
    id_bits: u32,
}

impl Table {
    fn new(n_lines: u64, id_bits: u32) -> Result<Table, OutOfMemory> {
        let bytes = usize::try_from(n_lines).ok().and_then(|n| n.checked_mul(LINE_BYTES));
        Ok(Table { lines: Memory::zeroed_for_use(bytes.ok_or(OutOfMemory)?)?, n_lines, id_bits })
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> u64 {
        scale(hash, self.n_lines)
    }

    /// The tag of a hash in its place, and the mask of the tag bits.
    #[inline(always)]
    fn tag(&self, hash: u64) -> (u32, u32) {
        ((hash << self.id_bits) as u32, (u64::MAX << self.id_bits) as u32)
    }

    #[inline(always)]
    fn line(&self, line: u64) -> &Narrow {
        debug_assert!(line < self.n_lines);
        // SAFETY: `line` is below the number of lines, for which the memory has room; it is aligned to lines. A line
        // consists of atomics for which any bits are valid, and no one makes a plain reference to this memory.
        unsafe { &*self.lines.start().cast::<Narrow>().add(line as usize) }
    }

    /// The ids in a line.
    fn ids(&self, line: u64) -> impl Iterator<Item = u32> {
        let (line, tag_mask) = (self.line(line), self.tag(0).1);
        let slots = (0..Narrow::SLOTS as usize).map(|slot| line.get(slot) as u32);
        slots.take_while(|&slot| slot != 0).map(move |slot| slot & !tag_mask)
    }

    /// Adds an id that is not there; only while other threads, unless this one is `alone`, do nothing else. `fills` says how many slots of
    /// each line are taken, or more.
    fn push(&self, id: u32, hash: u64, fills: &[AtomicU8], alone: bool) {
        let mut at = self.home(hash);
        loop {
            let fill = &fills[at as usize];
            let mut taken = fill.load(Ordering::Relaxed);
            if u64::from(taken) < Narrow::SLOTS {
                if alone {
                    fill.store(taken + 1, Ordering::Relaxed);
                } else {
                    taken = fill.fetch_add(1, Ordering::Relaxed);
                }
            }
            if u64::from(taken) < Narrow::SLOTS {
                return self.line(at).set(usize::from(taken), u64::from(self.tag(hash).0 | id));
            }
            at = self.after(at);
        }
    }

    /// Where a full line continues.
    #[inline(always)]
    fn after(&self, line: u64) -> u64 {
        if line + 1 == self.n_lines { 0 } else { line + 1 }
    }
}

/// The values, by id.
struct Values {
    words: Memory,
    /// In values.
    capacity: u64,
    /// Whether memory is taken only as values are written.
    reserved: bool,
}

impl Values {
    /// Room for that many values, or fewer where address space is scarce.
    fn reserve(width: usize, wanted: u64) -> Result<Values, OutOfMemory> {
        let mut capacity = wanted.min(MOST_IDS);
        while capacity > FIRST_VALUES {
            let bytes = usize::try_from(capacity * width as u64 * 8).ok();
            if let Some(words) = bytes.and_then(Memory::reserved) {
                return Ok(Values { words, capacity, reserved: true });
            }
            capacity /= 4;
        }
        Values::allocate(width, FIRST_VALUES)
    }

    fn allocate(width: usize, capacity: u64) -> Result<Values, OutOfMemory> {
        let capacity = capacity.min(MOST_IDS);
        let bytes = usize::try_from(capacity * width as u64 * 8).map_err(|_| OutOfMemory)?;
        Ok(Values { words: Memory::zeroed(bytes)?, capacity, reserved: false })
    }

    /// A larger block with the same values.
    fn moved(&self, used: u32, width: usize) -> Result<Values, OutOfMemory> {
        let capacity = self.capacity * 2;
        let larger = match self.reserved {
            true => Values::reserve(width, capacity)?,
            false => Values::allocate(width, capacity)?,
        };
        let used = u64::from(used).min(self.capacity);
        if larger.capacity <= used {
            return Err(OutOfMemory);
        }
        // SAFETY: both blocks have room for this many values and are apart. Nobody writes: growth has the only reference.
        unsafe {
            let bytes = used as usize * width * 8;
            std::ptr::copy_nonoverlapping(self.words.start(), larger.words.start(), bytes);
        }
        Ok(larger)
    }

    #[inline(always)]
    fn at(&self, id: u32, width: usize) -> *const AtomicU64 {
        debug_assert!(u64::from(id) < self.capacity);
        self.words.start().cast::<AtomicU64>().wrapping_add(id as usize * width)
    }

    /// The value of an id read from the table.
    #[inline(always)]
    fn get<const W: usize>(&self, id: u32) -> &[u64; W] {
        // SAFETY: an id in the table is below the capacity, and its value was complete before the id got there.
        unsafe { &*self.at(id, W).cast() }
    }

    fn bytes(&self, used: u32, width: usize) -> u64 {
        match self.reserved {
            true => used_bytes(u64::from(used) * width as u64 * 8),
            false => self.words.bytes() as u64,
        }
    }
}

#[cfg(test)]
mod tests;
