//! The order of the items in each row.
//!
//! Sweeps down and up put each item at the average position of its neighbours in the row before (the barycentre
//! heuristic); then neighbours are exchanged while that helps. The best order that was met is kept.

use super::Layered;

/// Sweeps without an improvement after which there will be none.
const PATIENCE: usize = 4;
const MAX_SWEEPS: usize = 24;
/// Items that may be moved in all sweeps together: keeps large graphs fast.
const BUDGET: usize = 1_500_000;
/// In larger graphs, and larger rows, exchanging neighbours costs more than it gains.
const MAX_EXCHANGE_ITEMS: usize = 50_000;
const MAX_EXCHANGE_ROW: usize = 300;

pub(super) fn minimise_crossings(layered: &mut Layered) {
    start_in_depth_first_order(layered);
    let mut best = (count_all(layered), layered.rows.clone());
    let mut since_best = 0;
    let sweeps = (BUDGET / layered.items.len().max(1)).clamp(2, MAX_SWEEPS);
    for sweep in 0..sweeps {
        if best.0 == 0 || since_best == PATIENCE {
            break;
        }
        let downwards = sweep % 2 == 0;
        sort_rows(layered, downwards);
        if layered.items.len() <= MAX_EXCHANGE_ITEMS {
            exchange_neighbours(layered);
        }
        let crossings = count_all(layered);
        since_best += 1;
        if crossings < best.0 {
            best = (crossings, layered.rows.clone());
            since_best = 0;
        }
    }
    layered.rows = best.1;
}

/// Keeps what belongs together side by side, and the options of a selection in the order in which they are written.
fn start_in_depth_first_order(layered: &mut Layered) {
    let mut seen = vec![false; layered.items.len()];
    let mut rows = vec![Vec::new(); layered.rows.len()];
    let mut stack = Vec::new();
    for start in layered.rows.iter().flatten() {
        stack.push(*start);
        while let Some(item) = stack.pop() {
            if std::mem::replace(&mut seen[item], true) {
                continue;
            }
            rows[layered.items[item].row].push(item);
            stack.extend(layered.items[item].below.iter().rev());
        }
    }
    layered.rows = rows;
}

fn sort_rows(layered: &mut Layered, downwards: bool) {
    let mut positions = layered.positions();
    let n_rows = layered.rows.len();
    for step in 1..n_rows {
        let row = if downwards { step } else { n_rows - 1 - step };
        sort_row(layered, row, downwards, &positions);
        for (position, item) in layered.rows[row].iter().enumerate() {
            positions[*item] = position;
        }
    }
}

/// Items without neighbours stay where they are; the others are sorted into the remaining places.
fn sort_row(layered: &mut Layered, row: usize, downwards: bool, positions: &[usize]) {
    let average = |item: usize| {
        let item = &layered.items[item];
        let neighbours = if downwards { &item.above } else { &item.below };
        let sum: usize = neighbours.iter().map(|neighbour| positions[*neighbour]).sum();
        (!neighbours.is_empty()).then(|| sum as f64 / neighbours.len() as f64)
    };
    let mut movable: Vec<(f64, usize)> =
        layered.rows[row].iter().filter_map(|item| Some((average(*item)?, *item))).collect();
    movable.sort_by(|a, b| a.0.total_cmp(&b.0));
    let is_fixed: Vec<bool> = layered.rows[row].iter().map(|item| average(*item).is_none()).collect();
    let mut movable = movable.into_iter();
    for (place, fixed) in layered.rows[row].iter_mut().zip(is_fixed) {
        if !fixed && let Some((_, item)) = movable.next() {
            *place = item;
        }
    }
}

/// Exchanges two items that are side by side if fewer arcs cross then, until there are no such items.
fn exchange_neighbours(layered: &mut Layered) {
    let mut positions = layered.positions();
    for _ in 0..PATIENCE {
        let mut improved = false;
        for row in 0..layered.rows.len() {
            if layered.rows[row].len() > MAX_EXCHANGE_ROW {
                continue;
            }
            for left in 1..layered.rows[row].len() {
                let (a, b) = (layered.rows[row][left - 1], layered.rows[row][left]);
                if crossings_of(layered, &positions, b, a) < crossings_of(layered, &positions, a, b) {
                    layered.rows[row].swap(left - 1, left);
                    positions.swap(a, b);
                    improved = true;
                }
            }
        }
        if !improved {
            break;
        }
    }
}

/// Crossings between the arcs of two items if `left` is to the left of `right`.
fn crossings_of(layered: &Layered, positions: &[usize], left: usize, right: usize) -> usize {
    let (left, right) = (&layered.items[left], &layered.items[right]);
    let between = |left: &[usize], right: &[usize]| {
        let inverted = |a: &usize| right.iter().filter(|b| positions[**b] < positions[*a]).count();
        left.iter().map(inverted).sum::<usize>()
    };
    between(&left.above, &right.above) + between(&left.below, &right.below)
}

fn count_all(layered: &Layered) -> usize {
    let positions = layered.positions();
    let pairs = layered.rows.windows(2);
    pairs.map(|pair| count_between(layered, &positions, &pair[0], pair[1].len())).sum()
}

/// Pairs of arcs below a row that cross, that is, inversions; counted with a Fenwick tree (Barth, Mutzel, Jünger
/// 2004).
fn count_between(layered: &Layered, positions: &[usize], row: &[usize], width: usize) -> usize {
    let mut tree = vec![0usize; width + 1];
    let mut crossings = 0;
    let mut added = 0;
    for item in row {
        let mut ends: Vec<usize> = layered.items[*item].below.iter().map(|below| positions[*below]).collect();
        ends.sort_unstable();
        // Those of one item do not cross each other: all are counted before any is added.
        for end in &ends {
            let mut not_behind = 0;
            let mut index = end + 1;
            while index > 0 {
                not_behind += tree[index];
                index &= index - 1;
            }
            crossings += added - not_behind;
        }
        for end in ends {
            let mut index = end + 1;
            while index <= width {
                tree[index] += 1;
                index += index & index.wrapping_neg();
            }
            added += 1;
        }
    }
    crossings
}
