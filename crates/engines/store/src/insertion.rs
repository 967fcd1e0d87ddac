//! Many insertions at once.
//!
//! Where a pair is looked up is in no cache, and whether it is new nobody can guess. So all places are worked out first, and fetched
//! while the others are; then each line is read, and, if nobody else inserts, written whether or not the pair is new:
//! a branch that is wrong every third time costs more than that.

use crate::line::{Line, Narrow, Outcome, prefetch};
use crate::quotient::{Layout, SEGMENTS, Shape, segment_of};
use crate::segment::{PROBE_BITS, Segment};
use crate::{Full, VisitedHash};

/// States on their way into a set, and which of them are new. To be used again and again.
#[derive(Default)]
pub struct Insertion {
    /// Nobody else inserts meanwhile.
    alone: bool,
    /// How many were inserted.
    n_done: usize,
    fresh: Vec<u32>,
    /// New pairs of each segment that were not counted yet. Counters that all threads change at every insertion would be what
    /// they wait for most.
    pub(crate) uncounted: [u32; SEGMENTS],
    tickets: Vec<Ticket>,
    hashes: Vec<u64>,
}

/// Where a pair belongs. Good until the set grows.
#[derive(Clone, Copy)]
struct Ticket {
    line: *const Narrow,
    value: u32,
}

/// What is needed of a segment of narrow lines to find the place of a pair, in one place.
#[repr(align(64))]
pub(crate) struct Gate {
    layout: Layout,
    shape: Shape,
    remainder_bits: u32,
    lines: *const Narrow,
}

// SAFETY: only an address in a segment, which is shared in the same way.
unsafe impl Send for Gate {}
// SAFETY: as above.
unsafe impl Sync for Gate {}

impl Gate {
    pub(crate) fn new(segment: &Segment, layout: Layout) -> Gate {
        let shape = segment.shape();
        Gate { layout, shape, remainder_bits: shape.remainder_bits(), lines: segment.lines() }
    }

    /// Where a pair belongs; some place of the segment if it does not fit.
    #[inline(always)]
    fn ticket(&self, left: u32, right: u32) -> Ticket {
        let mixed = self.layout.mix_anything(left, right);
        let (line, remainder) = self.shape.divide(mixed, self.remainder_bits);
        Ticket { line: self.lines.wrapping_add(line as usize), value: (remainder << PROBE_BITS) as u32 | 1 }
    }
}

impl Insertion {
    /// `alone` is a promise that no other thread inserts into the same set.
    pub fn new(alone: bool) -> Insertion {
        Insertion { alone, ..Insertion::default() }
    }

    /// Ready for other states.
    #[inline(always)]
    pub fn start(&mut self) {
        self.n_done = 0;
        self.fresh.clear();
    }

    /// The numbers of those that were new, in ascending order.
    #[inline(always)]
    pub fn fresh(&self) -> &[u32] {
        &self.fresh
    }

    /// How many were inserted so far.
    pub(crate) fn n_done(&self) -> usize {
        self.n_done
    }

    /// The next one was inserted.
    #[inline(always)]
    pub(crate) fn note(&mut self, is_new: bool) {
        if is_new {
            self.fresh.push(self.n_done as u32);
        }
        self.n_done += 1;
    }

    /// Adds the states with these hashes to a set, from the first that was not added yet.
    #[inline(always)]
    pub fn insert_hashes(
        &mut self,
        set: &impl VisitedHash,
        hashes: impl Iterator<Item = u64>,
    ) -> Result<(), Full> {
        let mut ahead = std::mem::take(&mut self.hashes);
        ahead.clear();
        ahead.extend(hashes.skip(self.n_done).inspect(|hash| set.prefetch_hash(*hash)));
        let inserted = ahead.iter().try_for_each(|hash| {
            self.note(set.insert_hash(*hash)?);
            Ok(())
        });
        self.hashes = ahead;
        inserted
    }

    /// Adds pairs through the gates of a set, from the first that was not added yet. Those whose line is full are added by
    /// `further`. None if some pair does not fit; then nothing was done.
    ///
    /// # Safety
    /// The gates are those of the set's segments as they are, all of narrow lines.
    #[inline(always)]
    pub(crate) unsafe fn insert_pairs(
        &mut self,
        gates: &[Gate; SEGMENTS],
        pairs: &[u64],
        further: impl Fn(u64) -> Result<bool, Full>,
    ) -> Option<Result<(), Full>> {
        let rest = &pairs[self.n_done..];
        let mut too_wide = false;
        self.tickets.clear();
        self.tickets.extend(rest.iter().map(|pair| {
            let (left, right) = (*pair as u32, (*pair >> 32) as u32);
            let gate = &gates[segment_of(left, right)];
            too_wide |= !gate.layout.fits(left, right);
            let ticket = gate.ticket(left, right);
            prefetch(ticket.line);
            ticket
        }));
        if too_wide {
            return None;
        }
        let n_known = self.fresh.len();
        // SAFETY: the tickets were made just now.
        let result = unsafe {
            if self.alone { self.insert_alone(rest, further) } else { self.insert_shared(rest, further) }
        };
        for number in &self.fresh[n_known..] {
            let pair = pairs[*number as usize];
            self.uncounted[segment_of(pair as u32, (pair >> 32) as u32)] += 1;
        }
        Some(result)
    }

    /// # Safety
    /// The tickets are good, and there are as many as pairs.
    #[inline(always)]
    unsafe fn insert_alone(
        &mut self,
        pairs: &[u64],
        further: impl Fn(u64) -> Result<bool, Full>,
    ) -> Result<(), Full> {
        let n_known = self.fresh.len();
        self.fresh.reserve(self.tickets.len());
        let (mut n_done, mut n_new) = (self.n_done, 0);
        let mut result = Ok(());
        for (ticket, pair) in self.tickets.iter().zip(pairs) {
            // SAFETY: promised.
            let is_new = match unsafe { &*ticket.line }.insert_alone(ticket.value) {
                Some(is_new) => is_new,
                None => match further(*pair) {
                    Ok(is_new) => is_new,
                    Err(Full) => {
                        result = Err(Full);
                        break;
                    }
                },
            };
            // SAFETY: there is room for the numbers of all.
            unsafe { self.fresh.as_mut_ptr().add(n_known + n_new).write(n_done as u32) };
            n_new += is_new as usize;
            n_done += 1;
        }
        // SAFETY: so many were written.
        unsafe { self.fresh.set_len(n_known + n_new) };
        self.n_done = n_done;
        result
    }

    /// # Safety
    /// The tickets are good, and there are as many as pairs.
    #[inline(always)]
    unsafe fn insert_shared(
        &mut self,
        pairs: &[u64],
        further: impl Fn(u64) -> Result<bool, Full>,
    ) -> Result<(), Full> {
        for (at, pair) in pairs.iter().enumerate() {
            let Ticket { line, value } = self.tickets[at];
            // SAFETY: promised.
            let is_new = match unsafe { &*line }.insert(u64::from(value)) {
                Outcome::Present => false,
                Outcome::Inserted => true,
                Outcome::LineFull => further(*pair)?,
            };
            self.note(is_new);
        }
        Ok(())
    }
}
