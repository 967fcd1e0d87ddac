//! The compact set: 64 bits per state, whatever its size.
//!
//! The same table as the exact one, in slots of eight bytes, for keys that are 64-bit hashes. Two states are confused
//! only if their hashes agree in all 64 bits; among `n` states some two do with a probability of about n^2 / 2^65, one in
//! 370,000 for ten million states. No dictionary is needed, so this is both the quickest set and the one for states
//! that have no small parts. Given pairs it confuses nothing: a pair has 64 bits itself.

use std::sync::Arc;

use crate::hash::mix;
use crate::quotient::{SEGMENT_BITS, SEGMENTS, Shape};
use crate::segment::Segment;
use crate::segmented::{Builder, Segmented};
use crate::{Full, Hands, OutOfMemory, Visited, VisitedHash};

/// A set of 64-bit hashes.
pub struct Compact {
    table: Segmented,
    /// Who may help to grow.
    hands: Arc<Hands>,
}

impl Compact {
    /// An empty set.
    pub fn new() -> Result<Compact, OutOfMemory> {
        Compact::with_help(Arc::default())
    }

    /// The same, where others may help to grow.
    pub fn with_help(hands: Arc<Hands>) -> Result<Compact, OutOfMemory> {
        Ok(Compact { table: Segmented::new(64 - SEGMENT_BITS)?, hands })
    }

    /// How probable it is that at least one state was missed, if states were named by evenly distributed hashes.
    pub fn missed_probability(&self) -> f64 {
        let n = self.len() as f64;
        -(-(n * n) / 2f64.powi(65)).exp_m1()
    }
}

impl VisitedHash for Compact {
    #[inline(always)]
    fn ticket(&self, hash: u64) -> u64 {
        let ticket = mix(hash);
        let (segment, mixed) = place(ticket);
        self.table.prefetch(segment, mixed);
        ticket
    }

    #[inline(always)]
    fn insert_tickets(&self, tickets: &[u64], _: bool, mut inserted: impl FnMut(bool)) -> Result<(), Full> {
        tickets.iter().try_for_each(|ticket| {
            let (segment, mixed) = place(*ticket);
            inserted(self.table.insert(segment, mixed)?);
            Ok(())
        })
    }
}

impl Visited for Compact {
    #[inline]
    fn insert(&self, left: u32, right: u32) -> Result<bool, Full> {
        self.insert_hash(u64::from(left) << 32 | u64::from(right))
    }

    #[inline]
    fn prefetch(&self, left: u32, right: u32) {
        self.prefetch_hash(u64::from(left) << 32 | u64::from(right));
    }

    #[inline]
    fn wants_growth(&self) -> bool {
        self.table.wants_growth()
    }

    fn grow(&mut self, limit_bytes: Option<u64>) -> Result<(), OutOfMemory> {
        let crowded = self.table.take_crowded();
        let jobs = (0..SEGMENTS).filter(|i| crowded >> i & 1 == 1).map(|i| (i, ())).collect();
        self.table
            .rebuild(jobs, limit_bytes, &self.hands, |builder, i, segment, ()| grow(builder, i, segment))
    }

    fn len(&self) -> u64 {
        self.table.len()
    }

    fn bytes(&self) -> u64 {
        size_of::<Compact>() as u64 + self.table.bytes()
    }
}

fn grow(builder: &Builder, i: usize, segment: &Segment) -> Result<Segment, OutOfMemory> {
    let shape = segment.shape();
    let build = |factor: &f64| {
        let n_lines = (shape.n_lines as f64 * factor).ceil() as u64;
        builder.build(Shape { n_lines, ..shape }, segment, None::<fn(u64) -> u64>).ok()
    };
    builder.growth_factors(i, segment).iter().find_map(build).ok_or(OutOfMemory)
}

/// The segment, and the other bits left-aligned.
#[inline(always)]
fn place(ticket: u64) -> (usize, u64) {
    ((ticket >> (64 - SEGMENT_BITS)) as usize, ticket << SEGMENT_BITS)
}

#[cfg(test)]
mod tests;
