//! A table of 16 segments that grow one after the other.
//!
//! Growth moves the keys of a segment into a new one and frees the old, so a large table never needs the memory of two.
//! Small segments grow by a factor of two or four. Large ones grow by half, and not all at the same time: the first growth of a large segment
//! depends on its number, from then on eight groups take turns. So the table as a whole has about the same load at
//! all times, 5.8 bytes per key at four bytes per slot, where segments in step would swing between 4.7 and 7.1.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::memory::Pool;
use crate::quotient::{SEGMENTS, Shape};
use crate::segment::Segment;
use crate::{Full, OutOfMemory};

/// Lines of a new segment.
pub(crate) const FIRST_LINES: u64 = 16;

/// Segments with at least so many lines grow slowly and in turns.
const LARGE: u64 = 16_384;
/// With fewer lines they grow fast.
const TINY: u64 = 1024;
/// Segments with at least so many lines are worth a thread of their own while they grow.
pub(crate) const WORTH_A_THREAD: u64 = 4096;

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
    fn set_crowded(&self, segment: usize) {
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

    /// By how much a crowded segment should grow, best first; the rest is for when memory ends.
    pub(crate) fn growth_factors(&self, i: usize, limit_bytes: Option<u64>) -> [f64; 4] {
        let n_lines = self.segments[i].shape().n_lines;
        let best = if n_lines >= LARGE {
            1.5
        } else if n_lines * 2 >= LARGE {
            1.5f64.powf(1.0 + (i % 8) as f64 / 8.0)
        } else if n_lines < TINY {
            4.0
        } else {
            2.0
        };
        // All segments are to get the same share of what there is.
        let is_short = limit_bytes.is_some_and(|limit| self.bytes() as f64 * best > limit as f64);
        [if is_short { 1.5 } else { best }, 1.5, 1.25, 1.1]
    }

    /// Gives a segment another shape. Takes a little more room than asked if by bad luck the keys do not fit.
    pub(crate) fn rebuild(
        &mut self,
        i: usize,
        mut shape: Shape,
        recode: impl Fn(u64) -> u64,
        limit_bytes: Option<u64>,
    ) -> Result<(), OutOfMemory> {
        loop {
            let mut segment = self.new_segment(shape, limit_bytes, 0)?;
            if segment.fill(&self.segments[i], &recode).is_ok() {
                self.replace(i, segment);
                return Ok(());
            }
            shape.n_lines += shape.n_lines.div_ceil(8);
        }
    }

    /// The same for two segments by two threads. Says of each whether it was done; one that was not is as it was.
    pub(crate) fn rebuild_two(
        &mut self,
        [(i, shape, recode), (j, other_shape, other_recode)]: [(usize, Shape, impl Fn(u64) -> u64 + Send); 2],
        limit_bytes: Option<u64>,
    ) -> [bool; 2] {
        let Ok(mut segment) = self.new_segment(shape, limit_bytes, 0) else { return [false; 2] };
        let Ok(mut other) = self.new_segment(other_shape, limit_bytes, segment.bytes()) else {
            return [false; 2];
        };
        let segments = &self.segments;
        let (one, two) = std::thread::scope(|scope| {
            let two = scope.spawn(|| other.fill(&segments[j], other_recode));
            (segment.fill(&segments[i], recode).is_ok(), matches!(two.join(), Ok(Ok(()))))
        });
        if one {
            self.replace(i, segment);
        }
        if two {
            self.replace(j, other);
        }
        [one, two]
    }

    /// An empty segment, if there is room for it and so many bytes more.
    fn new_segment(
        &mut self,
        shape: Shape,
        limit_bytes: Option<u64>,
        more: u64,
    ) -> Result<Segment, OutOfMemory> {
        let bytes = shape.n_lines.saturating_mul(64).saturating_add(more);
        if limit_bytes.is_some_and(|limit| self.bytes().saturating_add(bytes) > limit) {
            return Err(OutOfMemory);
        }
        Segment::new(shape, &mut self.pool)
    }

    fn replace(&mut self, i: usize, segment: Segment) {
        self.counts[i] = Count::new(&segment, self.keys(i));
        self.segments[i] = segment;
    }
}

impl Count {
    fn new(segment: &Segment, keys: u64) -> Count {
        let load = if segment.is_wide() { 0.75 } else { 0.85 };
        Count { keys: AtomicU64::new(keys), crowded_at: (segment.slots() as f64 * load) as u64 }
    }
}
