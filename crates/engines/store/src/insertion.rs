//! Many insertions at once.
//!
//! Pairs that were met a moment ago are passed over. Where the others are looked up is in no cache, and whether they are new nobody can
//! guess. So all places are worked out first, and fetched while the others are; then each line is read, and, if nobody else inserts, written
//! whether or not the pair is new: a branch that is wrong every third time costs more than that. If others insert, the pairs that are there
//! are left out first, also without a branch. Pairs whose line is full, one in ten or so, are put off until all others are done: by then their
//! next line has been fetched.

use std::hint::select_unpredictable;
use std::ptr;

use crate::hash::{ODD, hash, scale};
use crate::line::{LINE_BYTES, Line, Narrow, Outcome, Wide, prefetch_once, prefetch_to_write};
use crate::quotient::{Layout, SEGMENTS, Shape, segment_of};
use crate::segment::{PROBE_BITS, Segment};
use crate::segmented::Segmented;
use crate::{Bitstate, Full, VisitedHash};

/// States on their way into a set, and which of them are new. To be used again and again, for the same set, or one that forgets and took
/// its place.
#[derive(Default)]
pub struct Insertion {
    /// Nobody else inserts meanwhile.
    alone: bool,
    /// How many were inserted.
    n_done: usize,
    fresh: Vec<u32>,
    /// Those whose line is full.
    put_off: Vec<u32>,
    /// New pairs of each segment that were not counted yet. Counters that all threads change at every insertion would be what
    /// they wait for most.
    pub(crate) uncounted: [u32; SEGMENTS],
    tickets: Vec<Ticket>,
    /// Which of the pairs each ticket is for.
    numbers: Vec<u32>,
    recent: Recent,
    hashes: Vec<u64>,
}

/// Pairs, or hashes, that were met a short while ago, each in the place that it shares with others: these are in the set. Most of what is met again was
/// met just before, and need not be looked up.
struct Recent(Box<[u64; RECENT]>);

/// How many, at most: they are to stay near the processor.
const RECENT: usize = 1 << 12;

impl Default for Recent {
    fn default() -> Recent {
        let mut recent = Recent(Box::new([0; RECENT]));
        recent.forget();
        recent
    }
}

impl Recent {
    /// The place of a pair.
    #[inline(always)]
    fn place(&mut self, pair: u64) -> &mut u64 {
        &mut self.0[scale(pair.wrapping_mul(ODD[0]), RECENT as u64) as usize]
    }

    /// Whether a pair was met, which it is now.
    #[inline(always)]
    fn meet(&mut self, pair: u64) -> bool {
        std::mem::replace(self.place(pair), pair) == pair
    }

    /// To be called when pairs are not in the set after all.
    #[cold]
    fn forget(&mut self) {
        // Every place has a pair that belongs elsewhere.
        self.0.fill(0);
        *self.place(0) = 1;
    }
}

/// Where a pair belongs. Good until the set grows.
#[derive(Clone, Copy)]
pub(crate) struct Ticket {
    /// In the line, so many bytes from its beginning as its segment has for a number: tickets are to be small.
    place: *const u8,
    /// What is to be in the line.
    pub(crate) value: u64,
}

impl Ticket {
    #[inline(always)]
    fn new(line: *const u8, segment: usize, value: u64) -> Ticket {
        const { assert!(SEGMENTS <= LINE_BYTES) };
        Ticket { place: line.wrapping_add(segment), value }
    }

    #[inline(always)]
    pub(crate) fn segment(&self) -> usize {
        self.place.addr() % LINE_BYTES % SEGMENTS
    }

    #[inline(always)]
    pub(crate) fn line(&self) -> *const u8 {
        self.place.map_addr(|address| address & !(LINE_BYTES - 1))
    }
}

/// What is needed of the segments of a set to find the places of pairs, in one place.
pub(crate) struct Gates {
    gates: [Gate; SEGMENTS],
    /// The segments with wide lines, one bit each.
    wide: u32,
}

#[repr(align(64))]
struct Gate {
    layout: Layout,
    shape: Shape,
    remainder_bits: u32,
    lines: *const u8,
}

// SAFETY: only an address in a segment, which is shared in the same way.
unsafe impl Send for Gate {}
// SAFETY: as above.
unsafe impl Sync for Gate {}

impl Gates {
    pub(crate) fn new(table: &Segmented, layouts: &[Layout; SEGMENTS]) -> Gates {
        let is_wide = |i: usize| table.segment(i).is_wide();
        Gates {
            gates: std::array::from_fn(|i| Gate::new(table.segment(i), layouts[i])),
            wide: (0..SEGMENTS).fold(0, |wide, i| wide | u32::from(is_wide(i)) << i),
        }
    }
}

impl Gate {
    fn new(segment: &Segment, layout: Layout) -> Gate {
        let shape = segment.shape();
        Gate { layout, shape, remainder_bits: shape.remainder_bits(), lines: segment.lines() }
    }

    /// Where a pair belongs; some place of the segment if it does not fit.
    #[inline(always)]
    fn ticket(&self, segment: usize, left: u32, right: u32) -> Ticket {
        let mixed = self.layout.mix_anything(left, right);
        let (line, remainder) = self.shape.divide(mixed, self.remainder_bits);
        let line = self.lines.wrapping_add(line as usize * LINE_BYTES);
        Ticket::new(line, segment, remainder << PROBE_BITS | 1)
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

    /// The numbers of those that were new, in ascending order unless the set had to grow under way.
    #[inline(always)]
    pub fn fresh(&self) -> &[u32] {
        &self.fresh
    }

    /// How many found their line full the last time.
    #[cfg(test)]
    pub(crate) fn n_put_off(&self) -> usize {
        self.put_off.len()
    }

    /// How many were inserted so far.
    pub(crate) fn n_done(&self) -> usize {
        self.n_done
    }

    /// Adds states of so many words each to a set, by their hashes, from the first that was not added yet.
    #[inline(always)]
    pub fn insert_states(
        &mut self,
        set: &impl VisitedHash,
        states: &[u64],
        width: usize,
    ) -> Result<(), Full> {
        let rest = &states[self.n_done * width..];
        let mut tickets = self.no_tickets();
        let ticket = |words: &[u64]| set.ticket(hash(words));
        match width {
            1 => tickets.extend(rest.as_chunks::<1>().0.iter().map(|words| ticket(words))),
            2 => tickets.extend(rest.as_chunks::<2>().0.iter().map(|words| ticket(words))),
            3 => tickets.extend(rest.as_chunks::<3>().0.iter().map(|words| ticket(words))),
            4 => tickets.extend(rest.as_chunks::<4>().0.iter().map(|words| ticket(words))),
            _ => tickets.extend(rest.chunks_exact(width).map(ticket)),
        }
        self.insert_hashed(set, tickets)
    }

    /// Adds pairs, each in the two halves of a word, to a set that forgets, from the first that was not added yet.
    #[inline]
    pub fn insert_pairs_in(&mut self, set: &Bitstate, pairs: &[u64]) -> Result<(), Full> {
        let mut tickets = self.no_tickets();
        let ticket = |pair: &u64| set.pair_ticket(*pair as u32, (*pair >> 32) as u32);
        tickets.extend(pairs[self.n_done..].iter().map(ticket));
        self.insert_hashed(set, tickets)
    }

    /// What was counted elsewhere need not be counted any more.
    pub fn forget_uncounted(&mut self) {
        self.uncounted = [0; SEGMENTS];
    }

    fn no_tickets(&mut self) -> Vec<u64> {
        let mut tickets = std::mem::take(&mut self.hashes);
        tickets.clear();
        tickets
    }

    #[inline(always)]
    fn insert_hashed(&mut self, set: &impl VisitedHash, mut tickets: Vec<u64>) -> Result<(), Full> {
        let n_states = tickets.len();
        self.numbers.clear();
        self.numbers.extend(self.n_done as u32..(self.n_done + n_states) as u32);
        leave_out(&mut tickets, &mut self.numbers, |ticket| self.recent.meet(*ticket));
        self.fresh.reserve(tickets.len());
        let n_before = self.fresh.len();
        let mut n_new = 0;
        let mut numbers = self.numbers.iter();
        let room = &mut self.fresh.spare_capacity_mut()[..tickets.len()];
        let inserted = set.insert_tickets(&tickets, self.alone, |is_new| {
            // Nobody can guess which are, so there is no branch.
            room[n_new].write(numbers.next().copied().unwrap_or(0));
            n_new += usize::from(is_new);
        });
        self.n_done = numbers.next().map_or(self.n_done + n_states, |number| *number as usize);
        // SAFETY: so many were written.
        unsafe { self.fresh.set_len(n_before + n_new) };
        self.hashes = tickets;
        if inserted.is_err() {
            self.recent.forget();
        }
        inserted
    }

    /// Adds pairs through the gates of a set, from the first that was not added yet. Those whose line is full are added by
    /// `further`; if that fails, some of the others were added too, and are noted as new. None if some pair does not fit; then nothing was done.
    ///
    /// # Safety
    /// The gates are those of the set's segments as they are.
    #[inline(always)]
    pub(crate) unsafe fn insert_pairs(
        &mut self,
        gates: &Gates,
        pairs: &[u64],
        further: impl Fn(Ticket) -> Result<bool, Full>,
    ) -> Option<Result<(), Full>> {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
            // SAFETY: the processor has these instructions; the rest is promised.
            return unsafe { self.insert_pairs_avx2(gates, pairs, further) };
        }
        // SAFETY: promised.
        unsafe {
            self.insert_pairs_with(gates, pairs, further, Narrow::candidates, Wide::candidates, prefetch_once)
        }
    }

    /// The same for processors of the last decade.
    ///
    /// # Safety
    /// As above.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    unsafe fn insert_pairs_avx2(
        &mut self,
        gates: &Gates,
        pairs: &[u64],
        further: impl Fn(Ticket) -> Result<bool, Full>,
    ) -> Option<Result<(), Full>> {
        // SAFETY: promised.
        unsafe {
            let narrow = |line: &Narrow, value| line.candidates_avx2(value);
            let wide = |line: &Wide, value| line.candidates_avx2(value);
            match self.alone {
                true => self.insert_pairs_with(gates, pairs, further, narrow, wide, prefetch_once),
                false => self.insert_pairs_with(gates, pairs, further, narrow, wide, prefetch_to_write),
            }
        }
    }

    /// The same with ways to look into lines, and to fetch them.
    ///
    /// # Safety
    /// As above.
    #[inline(always)]
    unsafe fn insert_pairs_with(
        &mut self,
        gates: &Gates,
        pairs: &[u64],
        further: impl Fn(Ticket) -> Result<bool, Full>,
        narrow: impl Fn(&Narrow, u64) -> u32,
        wide: impl Fn(&Wide, u64) -> u32,
        fetch: impl Fn(*const u8),
    ) -> Option<Result<(), Full>> {
        let rest = &pairs[self.n_done..];
        let (n_pairs, alone) = (rest.len(), self.alone);
        // Something that is near the processor anyway.
        let nothing = ptr::from_ref(self).cast();
        let (mut too_wide, mut n_tickets) = (0, 0);
        self.tickets.clear();
        self.tickets.reserve(n_pairs);
        self.numbers.clear();
        self.numbers.reserve(n_pairs);
        for (at, pair) in rest.iter().enumerate() {
            let (left, right) = (*pair as u32, (*pair >> 32) as u32);
            let segment = segment_of(left, right);
            let gate = &gates.gates[segment];
            too_wide |= gate.layout.excess(left, right);
            let ticket = gate.ticket(segment, left, right);
            let is_recent = self.recent.meet(*pair);
            // Nobody can guess which are, so there is no branch.
            fetch(select_unpredictable(is_recent, nothing, ticket.place));
            // SAFETY: there is room for all.
            unsafe {
                self.tickets.as_mut_ptr().add(n_tickets).write(ticket);
                self.numbers.as_mut_ptr().add(n_tickets).write((self.n_done + at) as u32);
            }
            n_tickets += usize::from(!is_recent);
        }
        if too_wide != 0 {
            self.recent.forget();
            return None;
        }
        // SAFETY: so many were written just now.
        unsafe {
            self.tickets.set_len(n_tickets);
            self.numbers.set_len(n_tickets);
        }
        self.put_off.clear();
        self.put_off.reserve(n_tickets);
        self.fresh.reserve(n_tickets);
        // SAFETY: the tickets are good, and there is room. Where the segment of a ticket has wide lines, its line is one.
        unsafe {
            let is_wide = |ticket: &Ticket| gates.wide >> ticket.segment() & 1 == 1;
            let is_in_narrow = |ticket: &Ticket| has(&*ticket.line().cast(), ticket.value, &narrow);
            let is_in_wide = |ticket: &Ticket| has(&*ticket.line().cast(), ticket.value, &wide);
            let in_narrow = |ticket: &Ticket| insert(&*ticket.line().cast(), ticket.value, alone, &narrow);
            let in_wide = |ticket: &Ticket| insert(&*ticket.line().cast(), ticket.value, alone, &wide);
            if gates.wide == 0 {
                self.leave_out_present(is_in_narrow);
                self.insert_tickets(in_narrow, fetch);
            } else {
                self.leave_out_present(|ticket| {
                    if is_wide(ticket) { is_in_wide(ticket) } else { is_in_narrow(ticket) }
                });
                self.insert_tickets(
                    |ticket| if is_wide(ticket) { in_wide(ticket) } else { in_narrow(ticket) },
                    fetch,
                );
            }
        }
        let inserted = self.insert_put_off(further);
        match inserted {
            Ok(()) => self.n_done += n_pairs,
            Err(Full) => self.recent.forget(),
        }
        Some(inserted)
    }

    /// With several threads, leaves out the tickets whose pairs are in the set, given a way to tell: those of the others are new but for
    /// few, and who inserts them need not guess. Alone nobody has to.
    #[inline(always)]
    fn leave_out_present(&mut self, is_there: impl Fn(&Ticket) -> bool) {
        if !self.alone {
            leave_out(&mut self.tickets, &mut self.numbers, is_there);
        }
    }

    /// Adds the pairs of all tickets whose line is not full, given a way to add one: whether it is new, if it could be added.
    ///
    /// # Safety
    /// There is room for the numbers of all.
    #[inline(always)]
    unsafe fn insert_tickets(&mut self, insert: impl Fn(&Ticket) -> Option<bool>, fetch: impl Fn(*const u8)) {
        let (mut n_fresh, mut n_put_off) = (self.fresh.len(), 0);
        let (fresh, put_off) = (self.fresh.as_mut_ptr(), self.put_off.as_mut_ptr());
        for (at, (ticket, number)) in self.tickets.iter().zip(&self.numbers).enumerate() {
            let Some(is_new) = insert(ticket) else {
                fetch(ticket.place.wrapping_add(LINE_BYTES));
                // SAFETY: there is room.
                unsafe { put_off.add(n_put_off).write(at as u32) };
                n_put_off += 1;
                continue;
            };
            // Nobody can guess which are, so there is no branch.
            // SAFETY: there is room.
            unsafe { fresh.add(n_fresh).write(*number) };
            n_fresh += is_new as usize;
            self.uncounted[ticket.segment()] += is_new as u32;
        }
        // SAFETY: so many were written.
        unsafe {
            self.fresh.set_len(n_fresh);
            self.put_off.set_len(n_put_off);
        }
    }

    /// Adds the others.
    #[inline(always)]
    fn insert_put_off(&mut self, further: impl Fn(Ticket) -> Result<bool, Full>) -> Result<(), Full> {
        let (mut n_new, mut result) = (0, Ok(()));
        for i in 0..self.put_off.len() {
            let at = self.put_off[i] as usize;
            let ticket = self.tickets[at];
            match further(ticket) {
                Ok(is_new) => {
                    self.put_off[n_new] = self.numbers[at];
                    n_new += is_new as usize;
                    self.uncounted[ticket.segment()] += is_new as u32;
                }
                Err(Full) => {
                    result = Err(Full);
                    break;
                }
            }
        }
        merge(&mut self.fresh, &self.put_off[..n_new]);
        result
    }
}

/// Leaves out tickets, and their numbers. Nobody can guess which, so there is no branch.
#[inline(always)]
fn leave_out<T: Copy>(tickets: &mut Vec<T>, numbers: &mut Vec<u32>, mut is_out: impl FnMut(&T) -> bool) {
    let mut n_left = 0;
    for at in 0..tickets.len() {
        let ticket = tickets[at];
        (tickets[n_left], numbers[n_left]) = (ticket, numbers[at]);
        n_left += usize::from(!is_out(&ticket));
    }
    tickets.truncate(n_left);
    numbers.truncate(n_left);
}

/// Whether a line has a value.
#[inline(always)]
fn has<L: Line>(line: &L, value: u64, candidates: &impl Fn(&L, u64) -> u32) -> bool {
    // If there is none it is any slot, with another value.
    line.get(candidates(line, value).trailing_zeros() as usize) == value
}

/// Adds a value to a line: whether it is new, if there is room for it.
#[inline(always)]
fn insert<L: Line>(line: &L, value: u64, alone: bool, candidates: &impl Fn(&L, u64) -> u32) -> Option<bool> {
    if alone {
        let found = candidates(line, value);
        return (found != 0).then(|| line.write_alone(found, value));
    }
    match line.insert_with(value, candidates) {
        Outcome::LineFull => None,
        outcome => Some(outcome == Outcome::Inserted),
    }
}

/// Adds some ascending numbers where they belong among others.
#[inline(always)]
fn merge(numbers: &mut Vec<u32>, more: &[u32]) {
    let mut n_left = numbers.len();
    numbers.resize(n_left + more.len(), 0);
    for (n_before, number) in more.iter().enumerate().rev() {
        while n_left > 0 && numbers[n_left - 1] > *number {
            numbers[n_left + n_before] = numbers[n_left - 1];
            n_left -= 1;
        }
        numbers[n_left + n_before] = *number;
    }
}
