//! Where the items of a row are from left to right: Brandes and Köpf, *Fast and Simple Horizontal Coordinate
//! Assignment* (2002).
//!
//! Each item is aligned with the median of its neighbours in the row before, if nothing is in the way; items that
//! are aligned form a *block*, one vertical line. The blocks are then pushed together. That is done from both sides
//! and in both directions, and the result is the average of the two in the middle of the four. Bends of one arc
//! have precedence, so long arcs are straight.
//!
//! Balanced like this, an arc can be far from both its ends. So finally nodes, and the vertical parts of arcs, that
//! are not between what they are connected with move there, as far as there is room.
//!
//! The blocks are pushed together as longest paths in the graph of blocks, not by the recursion of the paper: that
//! is simpler, and keeps the distances also in the cases in which the paper is wrong.

use std::collections::HashSet;

use super::Layered;

/// x of the centre of every item; the leftmost border of all is at 0.
pub(super) fn assign(layered: &Layered) -> Vec<f64> {
    let conflicts = conflicts(layered);
    let mut candidates = Vec::new();
    for upwards in [false, true] {
        for leftwards in [false, true] {
            let side = Side::new(layered, upwards, leftwards);
            let blocks = side.align(&conflicts);
            candidates.push((side.compact(&blocks), leftwards));
        }
    }
    let mut xs = balance(layered, candidates);
    shorten_detours(layered, &mut xs);
    let left = |item: usize| xs[item] - layered.items[item].extent.left;
    let leftmost = (0..xs.len()).map(left).fold(f64::INFINITY, f64::min);
    xs.iter_mut().for_each(|x| *x -= leftmost);
    xs
}

/// Parts of arcs (upper item, lower item) that cross the inside of a long arc: they must not be vertical, so that
/// the long arc can be.
fn conflicts(layered: &Layered) -> HashSet<(usize, usize)> {
    let positions = layered.positions();
    let mut conflicts = HashSet::new();
    for (upper, lower) in layered.rows.iter().zip(layered.rows.iter().skip(1)) {
        // The upper ends of the inner parts on both sides of what is looked at now.
        let mut left = 0;
        let mut begin = 0;
        for (position, item) in lower.iter().enumerate() {
            let inner = inner_part_above(layered, *item).map(|above| positions[above]);
            if inner.is_none() && position + 1 < lower.len() {
                continue;
            }
            let right = inner.unwrap_or(upper.len());
            for other in &lower[begin..=position] {
                for above in &layered.items[*other].above {
                    let outside = positions[*above] < left || positions[*above] > right;
                    if outside && inner_part_above(layered, *other).is_none() {
                        conflicts.insert((*above, *other));
                    }
                }
            }
            begin = position + 1;
            left = right;
        }
    }
    conflicts
}

/// The bend above a bend.
fn inner_part_above(layered: &Layered, item: usize) -> Option<usize> {
    let above = *layered.items[item].above.first()?;
    (layered.items[item].is_bend && layered.items[above].is_bend).then_some(above)
}

/// The graph as it is seen from one of the four sides: first row first, first item first.
struct Side<'a> {
    layered: &'a Layered,
    upwards: bool,
    leftwards: bool,
    rows: Vec<Vec<usize>>,
    positions: Vec<usize>,
}

/// For each item, the item that stands for its block.
type Blocks = Vec<usize>;

impl<'a> Side<'a> {
    fn new(layered: &'a Layered, upwards: bool, leftwards: bool) -> Side<'a> {
        let mut rows = layered.rows.clone();
        if upwards {
            rows.reverse();
        }
        if leftwards {
            rows.iter_mut().for_each(|row| row.reverse());
        }
        let mut positions = vec![0; layered.items.len()];
        for row in &rows {
            row.iter().enumerate().for_each(|(position, item)| positions[*item] = position);
        }
        Side { layered, upwards, leftwards, rows, positions }
    }

    fn align(&self, conflicts: &HashSet<(usize, usize)>) -> Blocks {
        let mut blocks: Blocks = (0..self.positions.len()).collect();
        for row in &self.rows {
            // Items before this position of the previous row are taken: alignments must not cross.
            let mut free = 0;
            for item in row {
                for neighbour in self.medians(*item) {
                    let pair = if self.upwards { (*item, neighbour) } else { (neighbour, *item) };
                    let position = self.positions[neighbour];
                    if position >= free && !conflicts.contains(&pair) {
                        blocks[*item] = blocks[neighbour];
                        free = position + 1;
                        break;
                    }
                }
            }
        }
        blocks
    }

    /// The one or two in the middle of the neighbours in the previous row.
    fn medians(&self, item: usize) -> Vec<usize> {
        let item = &self.layered.items[item];
        let mut neighbours = if self.upwards { item.below.clone() } else { item.above.clone() };
        neighbours.sort_by_key(|neighbour| self.positions[*neighbour]);
        match neighbours.len() {
            0 => Vec::new(),
            n => neighbours[(n - 1) / 2..=n / 2].to_vec(),
        }
    }

    /// Pushes all blocks to the left as far as they go, then those with room on their right back.
    fn compact(&self, blocks: &Blocks) -> Vec<f64> {
        let mut after: Vec<Vec<(usize, f64)>> = vec![Vec::new(); blocks.len()];
        let mut n_before = vec![0; blocks.len()];
        for pair in self.rows.iter().flat_map(|row| row.windows(2)) {
            let (left, right) = (blocks[pair[0]], blocks[pair[1]]);
            after[left].push((right, self.separation(pair[0], pair[1])));
            n_before[right] += 1;
        }
        let mut order: Vec<usize> =
            (0..blocks.len()).filter(|item| blocks[*item] == *item && n_before[*item] == 0).collect();
        let mut xs = vec![0.0f64; blocks.len()];
        let mut next = 0;
        while let Some(block) = order.get(next).copied() {
            next += 1;
            for (right, distance) in &after[block] {
                xs[*right] = xs[*right].max(xs[block] + distance);
                n_before[*right] -= 1;
                if n_before[*right] == 0 {
                    order.push(*right);
                }
            }
        }
        for block in order.iter().rev() {
            let limit = after[*block].iter().map(|(right, distance)| xs[*right] - distance);
            let limit = limit.fold(f64::INFINITY, f64::min);
            if limit.is_finite() {
                xs[*block] = xs[*block].max(limit);
            }
        }
        let sign = if self.leftwards { -1.0 } else { 1.0 };
        blocks.iter().map(|block| sign * xs[*block]).collect()
    }

    fn separation(&self, first: usize, second: usize) -> f64 {
        if self.leftwards {
            self.layered.separation(second, first)
        } else {
            self.layered.separation(first, second)
        }
    }
}

/// Moves the four over the narrowest of them and takes the average of the two in the middle. As each of the four
/// keeps the distances between the items of a row, so does every one of their order statistics.
fn balance(layered: &Layered, mut candidates: Vec<(Vec<f64>, bool)>) -> Vec<f64> {
    let borders = |xs: &[f64]| {
        let extent = |item: usize| layered.items[item].extent;
        let left = (0..xs.len()).map(|item| xs[item] - extent(item).left).fold(f64::INFINITY, f64::min);
        let right = (0..xs.len()).map(|item| xs[item] + extent(item).right).fold(f64::NEG_INFINITY, f64::max);
        (left, right)
    };
    let all: Vec<(f64, f64)> = candidates.iter().map(|(xs, _)| borders(xs)).collect();
    let narrowest = all.iter().copied().min_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)));
    let (left, right) = narrowest.unwrap_or((0.0, 0.0));
    for ((xs, leftwards), own) in candidates.iter_mut().zip(all) {
        let shift = if *leftwards { right - own.1 } else { left - own.0 };
        xs.iter_mut().for_each(|x| *x += shift);
    }
    let middle = |item: usize| {
        let mut values: Vec<f64> = candidates.iter().map(|(xs, _)| xs[item]).collect();
        values.sort_by(f64::total_cmp);
        (values[1] + values[2]) / 2.0
    };
    (0..layered.items.len()).map(middle).collect()
}

/// Rounds after which little moves.
const ROUNDS: usize = 4;

fn shorten_detours(layered: &Layered, xs: &mut [f64]) {
    let positions = layered.positions();
    for _ in 0..ROUNDS {
        for chain in &layered.chains {
            let mut start = 1;
            while start + 1 < chain.len() {
                let is_straight = |item: &&usize| xs[**item] == xs[chain[start]];
                let bends = &chain[start..chain.len() - 1];
                let length = bends.iter().take_while(is_straight).count();
                let part = &bends[..length];
                let ends = (xs[chain[start - 1]], xs[chain[start + length]]);
                let x = moved(layered, xs, &positions, part, ends);
                part.iter().for_each(|item| xs[*item] = x);
                start += length;
            }
        }
        for node in 0..layered.n_nodes {
            let item = &layered.items[node];
            let around = || item.above.iter().chain(&item.below).map(|neighbour| xs[*neighbour]);
            let ends = (around().fold(f64::INFINITY, f64::min), around().fold(f64::NEG_INFINITY, f64::max));
            if ends.0 <= ends.1 {
                xs[node] = moved(layered, xs, &positions, &[node], ends);
            }
        }
    }
}

/// Where a vertical part of an arc, or a node, should be: between its ends if its neighbours in the rows permit, or
/// else as close to that as they do.
fn moved(layered: &Layered, xs: &[f64], positions: &[usize], part: &[usize], ends: (f64, f64)) -> f64 {
    let x = xs[part[0]];
    let wanted = x.clamp(ends.0.min(ends.1), ends.0.max(ends.1));
    let neighbour = |item: usize, to_the_left: bool| {
        let position = positions[item];
        let position = if to_the_left { position.checked_sub(1)? } else { position + 1 };
        layered.rows[layered.items[item].row].get(position).copied()
    };
    if wanted < x {
        let limit = |item: &usize| {
            let other = neighbour(*item, true)?;
            Some(xs[other] + layered.separation(other, *item))
        };
        part.iter().filter_map(limit).fold(wanted, f64::max).min(x)
    } else {
        let limit = |item: &usize| {
            let other = neighbour(*item, false)?;
            Some(xs[other] - layered.separation(*item, other))
        };
        part.iter().filter_map(limit).fold(wanted, f64::min).max(x)
    }
}
