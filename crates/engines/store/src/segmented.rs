//! A table of 16 segments that grow one after the other.
//!
//! Growth moves the keys of a segment into a new one and frees the old, so a large table never needs the memory of two. Several threads move
//! several segments at a time, but only while there is room for that.
//! Small segments grow by a factor of four: each growth moves all keys, and with several threads half of these are near another processor.
//! Large ones grow by half, and not all at the same time: how large a segment becomes when it is small no longer
//! depends on its number, from then on eight groups take turns. So the table as a whole has about the same load at
//! all times, 5.8 bytes per key at four bytes per slot, where segments in step would swing between 4.7 and 7.1.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::line::LINE_BYTES;
use crate::memory::Pool;
use crate::quotient::{SEGMENTS, Shape};
use crate::segment::Segment;
use crate::{Full, Hands, OutOfMemory};

/// Lines of a new segment.
pub(crate) const FIRST_LINES: u64 = 16;

/// Segments with at least so many lines grow slowly and in turns.
const LARGE: u64 = 8192;
/// Segments with at least so many lines are worth the help of others while they grow.
const WORTH_HELP: u64 = 128;

pub(crate) struct Segmented {
    segments: [Segment; SEGMENTS],
    counts: [Count; SEGMENTS],
    pool: Pool,
    /// One bit per segment that should grow.
    crowded: AtomicU64,
}

/// How many keys a segment has, alone in its cache line: it changes with every insertion.
#[repr(align(64))]
struct Count {
    keys: AtomicU64,
    /// With so many keys the segment is crowded.
    crowded_at: u64,
}

impl Segmented {
    pub(crate) fn new(key_bits: u32) -> Result<Segmented, OutOfMemory> {
        let shape = Shape { n_lines: FIRST_LINES, key_bits };
        let mut pool = Pool::default();
        let segments =
            (0..SEGMENTS).map(|_| Segment::new(shape, &mut pool)).collect::<Result<Vec<_>, _>>()?;
        let Ok(segments) = <[Segment; SEGMENTS]>::try_from(segments) else { return Err(OutOfMemory) };
        let counts = std::array::from_fn(|i| Count::new(&segments[i], 0));
        Ok(Segmented { segments, counts, pool, crowded: AtomicU64::new(0) })
    }

    #[inline(always)]
    pub(crate) fn insert(&self, segment: usize, mixed: u64) -> Result<bool, Full> {
        let result = self.segments[segment].insert(mixed);
        match result {
            Ok(true) => self.count(segment, 1),
            Ok(false) => {}
            Err(Full) => self.set_crowded(segment),
        }
        result
    }

    /// Adds a key whose first line is full; the line, and what was to be in it. That it is new is counted later.
    #[inline(always)]
    pub(crate) fn insert_further(&self, segment: usize, line: *const u8, value: u64) -> Result<bool, Full> {
        let result = self.segments[segment].insert_after(line, value);
        if result.is_err() {
            self.set_crowded(segment);
        }
        result
    }

    /// Counts new keys.
    #[inline(always)]
    pub(crate) fn count(&self, segment: usize, n_new: u64) {
        let count = &self.counts[segment];
        let before = count.keys.fetch_add(n_new, Relaxed);
        if before < count.crowded_at && before + n_new >= count.crowded_at {
            self.set_crowded(segment);
        }
    }

    #[inline(always)]
    pub(crate) fn prefetch(&self, segment: usize, mixed: u64) {
        self.segments[segment].prefetch(mixed);
    }

    #[cold]
    pub(crate) fn set_crowded(&self, segment: usize) {
        self.crowded.fetch_or(1 << segment, Relaxed);
    }

    #[inline(always)]
    pub(crate) fn wants_growth(&self) -> bool {
        self.crowded.load(Relaxed) != 0
    }

    /// The segments that should grow now, one bit each: those that asked, and if any did, those that soon would. They
    /// are not asked for again unless they ask again.
    pub(crate) fn take_crowded(&mut self) -> u64 {
        let asked = std::mem::take(self.crowded.get_mut());
        if asked == 0 {
            return 0;
        }
        (0..SEGMENTS).filter(|&i| self.is_nearly_crowded(i)).fold(asked, |bits, i| bits | 1 << i)
    }

    fn is_nearly_crowded(&self, i: usize) -> bool {
        let part = if self.segments[i].shape().n_lines < LARGE { 0.75 } else { 0.97 };
        self.keys(i) as f64 >= part * self.counts[i].crowded_at as f64
    }

    pub(crate) fn segment(&self, i: usize) -> &Segment {
        &self.segments[i]
    }

    pub(crate) fn into_segments(self) -> [Segment; SEGMENTS] {
        self.segments
    }

    pub(crate) fn keys(&self, i: usize) -> u64 {
        self.counts[i].keys.load(Relaxed)
    }

    pub(crate) fn len(&self) -> u64 {
        (0..SEGMENTS).map(|i| self.keys(i)).sum()
    }

    pub(crate) fn bytes(&self) -> u64 {
        let fixed = SEGMENTS * (size_of::<Segment>() + size_of::<Count>());
        fixed as u64 + self.segments.iter().map(Segment::bytes).sum::<u64>()
    }

    /// Rebuilds segments, given in ascending order, each by `build`, with the help of others if that is worth it. If it fails for some these
    /// stay as they were.
    pub(crate) fn rebuild<J: Copy + Send>(
        &mut self,
        jobs: Vec<(usize, J)>,
        limit_bytes: Option<u64>,
        hands: &Hands,
        build: impl Fn(&Builder, usize, &Segment, J) -> Result<Segment, OutOfMemory> + Sync,
    ) -> Result<(), OutOfMemory> {
        // Several new segments at a time take more room than one, so there must be enough.
        let is_worth_it = hands.are_several()
            && jobs.len() > 1
            && limit_bytes.is_none_or(|limit| self.bytes().saturating_mul(3) <= limit)
            && jobs.iter().all(|(i, _)| self.segments[*i].shape().n_lines >= WORTH_HELP);
        let bytes = AtomicU64::new(self.bytes());
        let builder = Builder { bytes, limit_bytes, pool: Mutex::new(&mut self.pool) };
        let rebuild = |part: &mut Part<J>| {
            let built = build(&builder, part.number, part.segment, part.job)?;
            *part.count = Count::new(&built, part.count.keys.load(Relaxed));
            builder.bytes.fetch_sub(part.segment.bytes(), Relaxed);
            *part.segment = built;
            Ok(())
        };
        let mut jobs = jobs.into_iter().peekable();
        let all = self.segments.iter_mut().zip(&mut self.counts).enumerate();
        let parts = all.filter_map(|(number, (segment, count))| {
            let (_, job) = jobs.next_if(|(i, _)| *i == number)?;
            Some(Part { number, job, segment, count })
        });
        let mut parts: Vec<Part<J>> = parts.collect();
        if is_worth_it {
            let (queue, failed) = (Mutex::new(parts.into_iter()), Mutex::new(Vec::new()));
            hands.share(&|| {
                let mut was_left = false;
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(mut part) = next else { return was_left };
                    was_left = true;
                    if rebuild(&mut part).is_err() {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).push(part);
                    }
                }
            });
            // There may be room for one at a time.
            parts = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        }
        parts.iter_mut().map(rebuild).fold(Ok(()), Result::and)
    }
}

/// A segment that is to be rebuilt.
struct Part<'t, J> {
    number: usize,
    job: J,
    segment: &'t mut Segment,
    count: &'t mut Count,
}

/// Makes segments that take the places of others.
pub(crate) struct Builder<'p> {
    /// What all segments take, the new ones included.
    bytes: AtomicU64,
    limit_bytes: Option<u64>,
    pool: Mutex<&'p mut Pool>,
}

impl Builder<'_> {
    /// By how much a crowded segment should grow, best first; the rest is for when memory ends.
    pub(crate) fn growth_factors(&self, i: usize, segment: &Segment) -> [f64; 4] {
        let best = growth_factor(i, segment.shape().n_lines);
        // All segments are to get the same share of what there is.
        let bytes = self.bytes.load(Relaxed) as f64;
        let is_short = self.limit_bytes.is_some_and(|limit| bytes * best > limit as f64);
        [if is_short { 1.5 } else { best }, 1.5, 1.25, 1.1]
    }

    /// A segment with the keys of another one, each passed through `recode` if there is such a thing. It takes a little more room than
    /// asked if by bad luck the keys do not fit.
    pub(crate) fn build(
        &self,
        mut shape: Shape,
        from: &Segment,
        recode: Option<impl Fn(u64) -> u64>,
    ) -> Result<Segment, OutOfMemory> {
        loop {
            let mut segment = self.new_segment(shape)?;
            if segment.fill(from, recode.as_ref()).is_ok() {
                return Ok(segment);
            }
            self.bytes.fetch_sub(segment.bytes(), Relaxed);
            shape.n_lines += shape.n_lines.div_ceil(8);
        }
    }

    /// An empty segment, if there is room for it.
    fn new_segment(&self, shape: Shape) -> Result<Segment, OutOfMemory> {
        let bytes = shape.n_lines.saturating_mul(LINE_BYTES as u64);
        let limit = self.limit_bytes.unwrap_or(u64::MAX);
        let reserve = |taken: u64| taken.checked_add(bytes).filter(|taken| *taken <= limit);
        self.bytes.fetch_update(Relaxed, Relaxed, reserve).map_err(|_| OutOfMemory)?;
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        Segment::new(shape, &mut pool).inspect_err(|_| {
            self.bytes.fetch_sub(bytes, Relaxed);
        })
    }
}

/// By how much a crowded segment with so many lines should grow if there is memory. Whatever it began with, it becomes large once, and then
/// by as much as its number says.
fn growth_factor(i: usize, n_lines: u64) -> f64 {
    if n_lines >= LARGE {
        1.5
    } else if n_lines * 4 < LARGE {
        4.0
    } else {
        4.0 * 1.5f64.powf((i % 8) as f64 / 8.0)
    }
}

impl Count {
    fn new(segment: &Segment, keys: u64) -> Count {
        let load = if segment.is_wide() { 0.75 } else { 0.85 };
        Count { keys: AtomicU64::new(keys), crowded_at: (segment.slots() as f64 * load) as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_segments_take_turns_whatever_they_began_with() {
        for first in FIRST_LINES..4 * FIRST_LINES {
            let large = |i| {
                let mut lines = first as f64;
                while lines < LARGE as f64 {
                    lines *= growth_factor(i, lines as u64);
                }
                lines
            };
            for i in 0..SEGMENTS {
                let apart = large(i) / large(0);
                assert!(
                    (apart - 1.5f64.powf((i % 8) as f64 / 8.0)).abs() < 1e-9,
                    "{first} lines, segment {i}"
                );
            }
        }
    }
}
