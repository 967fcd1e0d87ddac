//! The exact set of pairs: a quotiented table of cache lines.
//!
//! The two ids, each in as many bits as ids need at present, make one key. `quotient` turns the key into a place and a
//! remainder by steps that can be undone, `segment` keeps the remainders, `segmented` grows the table. No pair is ever
//! taken for another.
//!
//! Widths are per segment. When an id does not fit, insertion says `Full` and growth rebuilds the segments with wider
//! ids. All the bits that slots of four bytes can hold are handed out at once, half of what is spare to each side, so
//! this happens a handful of times in a search. Only if the ids need more bits than that, the slots get eight bytes.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::quotient::{Layout, SEGMENT_BITS, SEGMENTS, Shape, segment};
use crate::segment::NARROW_REMAINDER;
use crate::segmented::{FIRST_LINES, Segmented, Uncounted};
use crate::{Full, OutOfMemory, Visited};

/// A set of pairs that makes no mistakes.
pub struct Exact {
    table: Segmented,
    layouts: [Layout; SEGMENTS],
    /// All bits of ids that did not fit, or are expected, since the last growth.
    too_wide: [AtomicU32; 2],
}

impl Exact {
    /// An empty set; it takes some 20 kB and no time to speak of.
    pub fn new() -> Result<Exact, OutOfMemory> {
        let layout = narrow_layout(FIRST_LINES, [1, SEGMENT_BITS]).expect("short ids fit");
        let table = Segmented::new(layout.key_bits())?;
        Ok(Exact { table, layouts: [layout; SEGMENTS], too_wide: Default::default() })
    }

    /// Where a pair belongs, for [`Exact::insert_ticket`]: good until the set grows. The processor is asked to fetch the
    /// place, so something else is best done in between.
    #[inline(always)]
    pub fn ticket(&self, left: u32, right: u32) -> Result<u64, Full> {
        let i = segment(left, right);
        let layout = &self.layouts[i];
        if !layout.fits(left, right) {
            return Err(self.does_not_fit(left, right));
        }
        let mixed = layout.mix(left, right);
        self.table.prefetch(i, mixed);
        // Keys are left-aligned and have no more than 60 bits.
        Ok(mixed | i as u64)
    }

    /// The next growth is to have this pair in mind as well, though it may fit now.
    pub fn expect(&self, left: u32, right: u32) {
        self.does_not_fit(left, right);
    }

    /// Like [`insert`](Visited::insert), for the pair of a ticket. A new pair is to be counted soon, by
    /// [`count`](Exact::count); until then the set does not know that it should grow.
    #[inline(always)]
    pub fn insert_ticket(&self, ticket: u64, news: &mut Uncounted) -> Result<bool, Full> {
        let i = ticket as usize % SEGMENTS;
        self.table.insert_uncounted(i, ticket - i as u64, news)
    }

    /// Counts the new pairs.
    pub fn count(&self, news: &mut Uncounted) {
        for (i, n_new) in std::mem::take(&mut news.0).into_iter().enumerate().filter(|(_, n)| *n > 0) {
            self.table.count(i, u64::from(n_new));
        }
    }

    /// Calls `visit` with every pair, in no particular order.
    pub fn for_each(&self, mut visit: impl FnMut(u32, u32)) {
        (0..SEGMENTS).for_each(|i| self.for_each_in(i, &mut visit));
    }

    fn for_each_in(&self, i: usize, mut visit: impl FnMut(u32, u32)) {
        let layout = self.layouts[i];
        let visited = self.table.segment(i).for_each(|mixed| {
            let (left, right) = layout.unmix(i, mixed);
            visit(left, right);
            Ok::<(), std::convert::Infallible>(())
        });
        visited.unwrap_or_else(|never| match never {});
    }

    #[cold]
    #[inline(never)]
    fn does_not_fit(&self, left: u32, right: u32) -> Full {
        self.too_wide[0].fetch_or(left, Relaxed);
        self.too_wide[1].fetch_or(right, Relaxed);
        Full
    }

    /// Rebuilds one segment for more keys, longer ids, or both.
    fn rebuild(
        &mut self,
        i: usize,
        crowded: bool,
        too_wide: [u32; 2],
        limit_bytes: Option<u64>,
    ) -> Result<(), OutOfMemory> {
        let factors = if crowded { &self.table.growth_factors(i, limit_bytes)[..] } else { &[1.0] };
        let mut result = Err(OutOfMemory);
        for factor in factors {
            let (layout, n_lines) = self.plan(i, *factor, too_wide);
            let shape = Shape { n_lines, key_bits: layout.key_bits() };
            let old = self.layouts[i];
            result = if layout == old {
                self.table.rebuild(i, shape, |mixed| mixed, limit_bytes)
            } else {
                let recode = |mixed| {
                    let (left, right) = old.unmix(i, mixed);
                    layout.mix(left, right)
                };
                self.table.rebuild(i, shape, recode, limit_bytes)
            };
            if result.is_ok() {
                self.layouts[i] = layout;
                break;
            }
        }
        result
    }

    /// Widths and lines for a segment with `factor` times as many slots.
    fn plan(&self, i: usize, factor: f64, too_wide: [u32; 2]) -> (Layout, u64) {
        let (segment, layout) = (self.table.segment(i), self.layouts[i]);
        let slots = segment.slots() as f64 * factor;
        let narrow_lines = (slots / 16.0).ceil() as u64;
        if !segment.is_wide() && layout.fits(too_wide[0], too_wide[1]) {
            return (layout, narrow_lines);
        }
        let [mut left, mut right] = too_wide;
        self.for_each_in(i, |l, r| {
            left |= l;
            right |= r;
        });
        let needed = [bits(left).max(1), bits(right).max(SEGMENT_BITS)];
        match narrow_layout(narrow_lines, needed) {
            Some(layout) => (layout, narrow_lines),
            None => (Layout::widest(), (slots / 8.0).ceil() as u64),
        }
    }
}

impl Visited for Exact {
    #[inline]
    fn insert(&self, left: u32, right: u32) -> Result<bool, Full> {
        let i = segment(left, right);
        let layout = &self.layouts[i];
        if !layout.fits(left, right) {
            return Err(self.does_not_fit(left, right));
        }
        self.table.insert(i, layout.mix(left, right))
    }

    #[inline]
    fn prefetch(&self, left: u32, right: u32) {
        let i = segment(left, right);
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
        let mut result = Ok(());
        for i in 0..SEGMENTS {
            let crowded = crowded >> i & 1 == 1;
            if crowded || !self.layouts[i].fits(too_wide[0], too_wide[1]) {
                result = self.rebuild(i, crowded, too_wide, limit_bytes).and(result);
            }
        }
        result
    }

    fn len(&self) -> u64 {
        self.table.len()
    }

    fn bytes(&self) -> u64 {
        size_of::<Exact>() as u64 + self.table.bytes()
    }
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
