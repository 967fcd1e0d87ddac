//! One segment of a table: lines of slots for mixed keys of a fixed length.
//!
//! A key lives in the line that [`Shape`] computes, or, if that is full, 1, 3, 6, 10 ... lines further (round the end).
//! Its slot holds the remainder and the number of the probe, from 1: the probe tells how far from home the line is,
//! so line and slot give back the key, and no two keys look alike. A key of fifteen full lines does not fit: the
//! segment is then too crowded and has to be rebuilt larger. Slots have four bytes where the remainder leaves
//! room for the probe number, else eight.

use crate::line::{LINE_BYTES, Line, Narrow, Outcome, Wide, prefetch};
use crate::memory::{Pool, Region};
use crate::quotient::Shape;
use crate::{Full, OutOfMemory};

pub(crate) const PROBE_BITS: u32 = 4;
const PROBES: u64 = (1 << PROBE_BITS) - 1;

/// Bits of the longest remainder in a slot of four bytes.
pub(crate) const NARROW_REMAINDER: u32 = 32 - PROBE_BITS;

pub(crate) struct Segment {
    memory: Region,
    shape: Shape,
    remainder_bits: u32,
}

impl Segment {
    pub(crate) fn new(shape: Shape, pool: &mut Pool) -> Result<Segment, OutOfMemory> {
        let bytes = usize::try_from(shape.n_lines).ok().and_then(|n| n.checked_mul(LINE_BYTES));
        let memory = pool.region(bytes.ok_or(OutOfMemory)?)?;
        Ok(Segment { memory, shape, remainder_bits: shape.remainder_bits() })
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.memory.bytes() as u64
    }

    /// The first line.
    pub(crate) fn lines(&self) -> *const u8 {
        self.memory.start()
    }

    /// The number of slots.
    pub(crate) fn slots(&self) -> u64 {
        self.shape.n_lines * if self.is_wide() { Wide::SLOTS } else { Narrow::SLOTS }
    }

    #[inline(always)]
    pub(crate) fn is_wide(&self) -> bool {
        self.remainder_bits > NARROW_REMAINDER
    }

    /// Adds a mixed key and says whether it is new.
    #[inline(always)]
    pub(crate) fn insert(&self, mixed: u64) -> Result<bool, Full> {
        if self.is_wide() { self.insert_in::<Wide>(mixed) } else { self.insert_in::<Narrow>(mixed) }
    }

    #[inline(always)]
    fn insert_in<L: Line>(&self, mixed: u64) -> Result<bool, Full> {
        let (home, remainder) = self.shape.divide(mixed, self.remainder_bits);
        let outcome = self.line::<L>(home).insert(remainder << PROBE_BITS | 1);
        match outcome {
            Outcome::Present => Ok(false),
            Outcome::Inserted => Ok(true),
            Outcome::LineFull => self.insert_further::<L>(home, remainder),
        }
    }

    /// Adds a key whose first line is full: a line of this segment, and what was to be in it.
    #[inline(always)]
    pub(crate) fn insert_after(&self, line: *const u8, value: u64) -> Result<bool, Full> {
        let home = ((line.addr() - self.lines().addr()) / LINE_BYTES) as u64;
        let remainder = value >> PROBE_BITS;
        match self.is_wide() {
            true => self.insert_further::<Wide>(home, remainder),
            false => self.insert_further::<Narrow>(home, remainder),
        }
    }

    #[inline(never)]
    fn insert_further<L: Line>(&self, home: u64, remainder: u64) -> Result<bool, Full> {
        let mut line = home;
        for probe in 2..=PROBES {
            line = self.wrap(line + probe - 1);
            match self.line::<L>(line).insert(remainder << PROBE_BITS | probe) {
                Outcome::Present => return Ok(false),
                Outcome::Inserted => return Ok(true),
                Outcome::LineFull => {}
            }
        }
        Err(Full)
    }

    #[inline(always)]
    pub(crate) fn prefetch(&self, mixed: u64) {
        let (home, _) = self.shape.divide(mixed, self.remainder_bits);
        prefetch(self.line::<Narrow>(home));
    }

    /// Adds a mixed key that is not there yet. `fills` says how many slots of each line are taken: to look for the first
    /// empty slot of a line that was written a moment ago would make the processor wait for that write.
    #[inline(always)]
    fn push<L: Line>(&mut self, mixed: u64, fills: &mut [u8]) -> Result<(), Full> {
        let (mut line, remainder) = self.shape.divide(mixed, self.remainder_bits);
        for probe in 1..=PROBES {
            line = self.wrap(line + probe - 1);
            let fill = &mut fills[line as usize];
            if u64::from(*fill) < L::SLOTS {
                self.line::<L>(line).set(usize::from(*fill), remainder << PROBE_BITS | probe);
                *fill += 1;
                return Ok(());
            }
        }
        Err(Full)
    }

    /// Calls `visit` with every mixed key until it fails.
    pub(crate) fn for_each<E>(&self, visit: impl FnMut(u64) -> Result<(), E>) -> Result<(), E> {
        if self.is_wide() { self.for_each_in::<Wide, E>(visit) } else { self.for_each_in::<Narrow, E>(visit) }
    }

    fn for_each_in<L: Line, E>(&self, mut visit: impl FnMut(u64) -> Result<(), E>) -> Result<(), E> {
        let multiplier = self.shape.multiplier();
        let mut walk = multiplier.walk();
        for at in 0..self.shape.n_lines {
            let line = self.line::<L>(at);
            for slot in 0..L::SLOTS {
                let value = line.get(slot as usize);
                if value == 0 {
                    break;
                }
                let (probe, remainder) = (value & PROBES, value >> PROBE_BITS);
                visit(match probe {
                    1 => walk.key(remainder),
                    _ => multiplier.multiply(self.home(at, probe), remainder),
                })?;
            }
            walk.advance();
        }
        Ok(())
    }

    /// Adds all keys of another segment, each passed through `recode` if there is such a thing, to this one, which is empty. `Full`
    /// if they do not fit by bad luck.
    pub(crate) fn fill(&mut self, from: &Segment, recode: Option<impl Fn(u64) -> u64>) -> Result<(), Full> {
        self.memory.populate();
        let mut fills = vec![0; self.shape.n_lines as usize];
        match recode {
            Some(recode) if self.is_wide() => {
                from.for_each(|mixed| self.push::<Wide>(recode(mixed), &mut fills))
            }
            Some(recode) => from.for_each(|mixed| self.push::<Narrow>(recode(mixed), &mut fills)),
            None if self.is_wide() => from.for_each(|mixed| self.push::<Wide>(mixed, &mut fills)),
            None => from.for_each(|mixed| self.push::<Narrow>(mixed, &mut fills)),
        }
    }

    /// The line from which a probe led here.
    #[inline(always)]
    fn home(&self, line: u64, probe: u64) -> u64 {
        let mut home = line;
        let mut distance = probe * (probe - 1) / 2;
        while distance > home {
            distance -= home + 1;
            home = self.shape.n_lines - 1;
        }
        home -= distance;
        home
    }

    #[inline(always)]
    fn wrap(&self, mut line: u64) -> u64 {
        while line >= self.shape.n_lines {
            line -= self.shape.n_lines;
        }
        line
    }

    #[inline(always)]
    fn line<L: Line>(&self, line: u64) -> &L {
        debug_assert!(line < self.shape.n_lines && size_of::<L>() == LINE_BYTES);
        // SAFETY: `line` is below the number of lines, for which the memory has room; it is aligned to lines. A line
        // consists of atomics for which any bits are valid, and no one makes a plain reference to this memory.
        unsafe { &*self.memory.start().cast::<L>().add(line as usize) }
    }
}
