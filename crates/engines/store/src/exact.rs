//! The exact set of pairs: a quotiented table of cache lines.
//!
//! The two ids, each in as many bits as ids need at present, make one key. `quotient` turns the key into a place and a
//! remainder by steps that can be undone, `segment` keeps the remainders, `segmented` grows the table. No pair is ever
//! taken for another.
//!
//! Widths are per segment. All the bits that slots of four bytes can hold are handed out at once, half of what is spare to each side, and
//! once a side has at most one left, again whenever a segment grows. When an id does not fit all the same, insertion says `Full` and growth rebuilds all
//! segments with wider ids. Only if the ids need more bits than there are, the slots get eight bytes.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use crate::insertion::{Gates, Insertion, Ticket};
use crate::quotient::{Layout, SEGMENT_BITS, SEGMENTS, Shape, segment_of};
use crate::segment::{NARROW_REMAINDER, Segment};
use crate::segmented::{Builder, FIRST_LINES, Segmented};
use crate::{Full, Hands, OutOfMemory, Visited};

/// A set of pairs that makes no mistakes.
pub struct Exact {
    table: Segmented,
    layouts: [Layout; SEGMENTS],
    gates: Box<Gates>,
    /// All bits that ids have had, or more.
    used: [AtomicU32; 2],
    /// All bits of ids that did not fit, or are expected, since the last growth.
    too_wide: [AtomicU32; 2],
    /// Who may help to grow.
    hands: Arc<Hands>,
}

impl Exact {
    /// An empty set; it takes some 20 kB and no time to speak of.
    pub fn new() -> Result<Exact, OutOfMemory> {
        let layout = narrow_layout(FIRST_LINES, [1, SEGMENT_BITS]).expect("short ids fit");
        let table = Segmented::new(layout.key_bits())?;
        let layouts = [layout; SEGMENTS];
        let gates = Box::new(Gates::new(&table, &layouts));
        let (used, too_wide, hands) = Default::default();
        Ok(Exact { table, layouts, gates, used, too_wide, hands })
    }

    /// The same, where others may help to grow.
    pub fn with_help(hands: Arc<Hands>) -> Result<Exact, OutOfMemory> {
        Ok(Exact { hands, ..Exact::new()? })
    }

    /// Adds pairs, each in the two halves of a word, from the first that was not added yet. If the set is full it has to grow,
    /// and then this is to be called again. New pairs are to be counted soon, by [`count`](Exact::count); until then the set
    /// does not know that it should grow.
    #[inline(always)]
    pub fn insert_all(&self, pairs: &[u64], insertion: &mut Insertion) -> Result<(), Full> {
        let all = pairs.iter().fold(0, |all, pair| all | pair);
        self.note_used(all as u32, (all >> 32) as u32);
        // SAFETY: the gates are made anew whenever a segment is.
        match unsafe { insertion.insert_pairs(&self.gates, pairs, |ticket| self.insert_further(ticket)) } {
            Some(result) => result,
            None => Err(self.expect(&pairs[insertion.n_done()..])),
        }
    }

    /// A pair whose first line is full.
    #[inline(always)]
    fn insert_further(&self, ticket: Ticket) -> Result<bool, Full> {
        self.table.insert_further(ticket.segment(), ticket.line(), ticket.value)
    }

    /// The next growth is to have all of these in mind, also those that fit now: pairs that are added together must fit together,
    /// or room for one could be made at the expense of the other, and then the other way round.
    #[cold]
    fn expect(&self, pairs: &[u64]) -> Full {
        pairs.iter().for_each(|pair| {
            self.does_not_fit(*pair as u32, (*pair >> 32) as u32);
        });
        Full
    }

    /// Counts the new pairs.
    pub fn count(&self, insertion: &mut Insertion) {
        let news = std::mem::take(&mut insertion.uncounted);
        for (i, n_new) in news.into_iter().enumerate().filter(|(_, n)| *n > 0) {
            self.table.count(i, u64::from(n_new));
        }
    }

    /// To be called before pairs are added, with all their bits.
    #[inline(always)]
    fn note_used(&self, left: u32, right: u32) {
        let [used_left, used_right] = &self.used;
        if left & !used_left.load(Relaxed) | right & !used_right.load(Relaxed) != 0 {
            self.use_more(left, right);
        }
    }

    #[cold]
    #[inline(never)]
    fn use_more(&self, left: u32, right: u32) {
        // All bits up to the highest one, so that this does not happen often.
        let up_to_highest = |id: u32| u32::MAX.checked_shr(id.leading_zeros()).unwrap_or(0);
        self.used[0].fetch_or(up_to_highest(left), Relaxed);
        self.used[1].fetch_or(up_to_highest(right), Relaxed);
    }

    /// How many pairs are handed out at once, at most, by [`dissolve`](Exact::dissolve).
    pub(crate) const DISSOLVED: usize = 32;

    /// Hands out all pairs, some at a time, segment after segment, and gives the memory of each segment back before the next.
    pub(crate) fn dissolve(self, mut visit: impl FnMut(&[(u32, u32)])) {
        let mut some = Vec::with_capacity(Exact::DISSOLVED);
        for (i, segment) in self.table.into_segments().into_iter().enumerate() {
            for_each_in(i, &segment, self.layouts[i], |left, right| {
                some.push((left, right));
                if some.len() == Exact::DISSOLVED {
                    visit(&some);
                    some.clear();
                }
            });
            visit(&some);
            some.clear();
        }
    }

    /// Calls `visit` with every pair, in no particular order.
    pub fn for_each(&self, mut visit: impl FnMut(u32, u32)) {
        (0..SEGMENTS).for_each(|i| for_each_in(i, self.table.segment(i), self.layouts[i], &mut visit));
    }

    #[cold]
    #[inline(never)]
    fn does_not_fit(&self, left: u32, right: u32) -> Full {
        self.too_wide[0].fetch_or(left, Relaxed);
        self.too_wide[1].fetch_or(right, Relaxed);
        Full
    }
}

impl Visited for Exact {
    #[inline]
    fn insert(&self, left: u32, right: u32) -> Result<bool, Full> {
        let i = segment_of(left, right);
        let layout = &self.layouts[i];
        if !layout.fits(left, right) {
            return Err(self.does_not_fit(left, right));
        }
        self.note_used(left, right);
        self.table.insert(i, layout.mix(left, right))
    }

    #[inline]
    fn prefetch(&self, left: u32, right: u32) {
        let i = segment_of(left, right);
        let layout = &self.layouts[i];
        if layout.fits(left, right) {
            self.table.prefetch(i, layout.mix(left, right));
        }
    }

    #[inline]
    fn wants_growth(&self) -> bool {
        self.table.wants_growth()
    }

    fn grow(&mut self, limit_bytes: Option<u64>) -> Result<(), OutOfMemory> {
        let crowded = self.table.take_crowded();
        let too_wide = self.too_wide.each_mut().map(|bits| std::mem::take(bits.get_mut()));
        let jobs = (0..SEGMENTS)
            .map(|i| (i, Growth { crowded: crowded >> i & 1 == 1, old: self.layouts[i] }))
            .filter(|(_, growth)| growth.crowded || !growth.old.fits(too_wide[0], too_wide[1]))
            .collect();
        let needed: [u32; 2] = std::array::from_fn(|side| *self.used[side].get_mut() | too_wide[side]);
        let layouts = Mutex::new(&mut self.layouts);
        let result = self.table.rebuild(jobs, limit_bytes, &self.hands, |builder, i, segment, growth| {
            let (layout, built) = growth.build(builder, i, segment, needed)?;
            layouts.lock().unwrap_or_else(PoisonError::into_inner)[i] = layout;
            Ok(built)
        });
        *self.gates = Gates::new(&self.table, &self.layouts);
        result
    }

    fn len(&self) -> u64 {
        self.table.len()
    }

    fn bytes(&self) -> u64 {
        size_of::<Exact>() as u64 + self.table.bytes()
    }
}

/// Calls `visit` with every pair of a segment.
fn for_each_in(i: usize, segment: &Segment, layout: Layout, mut visit: impl FnMut(u32, u32)) {
    let visited = segment.for_each(|mixed| {
        let (left, right) = layout.unmix(i, mixed);
        visit(left, right);
        Ok::<(), std::convert::Infallible>(())
    });
    visited.unwrap_or_else(|never| match never {});
}

/// Why and how a segment is to be rebuilt.
#[derive(Clone, Copy)]
struct Growth {
    /// It has too many keys; else only its ids do not fit.
    crowded: bool,
    old: Layout,
}

impl Growth {
    /// Builds the segment anew, for more keys, longer ids, or both; for ids that have had these bits.
    fn build(
        self,
        builder: &Builder,
        i: usize,
        segment: &Segment,
        used: [u32; 2],
    ) -> Result<(Layout, Segment), OutOfMemory> {
        let factors = if self.crowded { &builder.growth_factors(i, segment)[..] } else { &[1.0] };
        let build = |factor: &f64| {
            let (layout, n_lines) = self.plan(segment, *factor, used);
            let shape = Shape { n_lines, key_bits: layout.key_bits() };
            Some((layout, builder.build(shape, segment, recode(i, self.old, layout)).ok()?))
        };
        factors.iter().find_map(build).ok_or(OutOfMemory)
    }

    /// Widths and lines for a segment with `factor` times as many slots.
    fn plan(&self, segment: &Segment, factor: f64, [left, right]: [u32; 2]) -> (Layout, u64) {
        let layout = self.old;
        let slots = segment.slots() as f64 * factor;
        let narrow_lines = (slots / 16.0).ceil() as u64;
        if !segment.is_wide() && layout.fits(left, right) && !(factor > 1.0 && layout.is_tight(left, right)) {
            return (layout, narrow_lines);
        }
        let needed = [bits(left).max(1), bits(right).max(SEGMENT_BITS)];
        match narrow_layout(narrow_lines, needed) {
            Some(layout) => (layout, narrow_lines),
            // There is nothing to hand out.
            None if !segment.is_wide() && layout.fits(left, right) => (layout, narrow_lines),
            None => (Layout::widest(), (slots / 8.0).ceil() as u64),
        }
    }
}

/// From a mixed key of a segment to that of another layout, if it is another one.
fn recode(i: usize, old: Layout, new: Layout) -> Option<impl Fn(u64) -> u64> {
    (old != new).then_some(move |mixed| {
        let (left, right) = old.unmix(i, mixed);
        new.mix(left, right)
    })
}

/// Widths that need no more than slots of four bytes and have bits to spare on each side, or none there are.
fn narrow_layout(n_lines: u64, [left, right]: [u32; 2]) -> Option<Layout> {
    let available = NARROW_REMAINDER + n_lines.ilog2() + SEGMENT_BITS;
    let spare = available.checked_sub(left + right)?;
    let left_wide = (left + spare / 2).min(32);
    let right_wide = (available - left_wide).min(32);
    let left_wide = (available - right_wide).min(32);
    let has_spare = |wide, needed| wide > needed || wide == 32;
    (has_spare(left_wide, left) && has_spare(right_wide, right)).then(|| Layout::new(left_wide, right_wide))
}

/// The length of a number in binary.
fn bits(id: u32) -> u32 {
    32 - id.leading_zeros()
}

#[cfg(test)]
mod tests;
