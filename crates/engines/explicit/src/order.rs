//! Which words of a state belong together.
//!
//! Compression works best if the parts of a state that influence each other are in the same piece: then a piece takes few
//! values, and a step changes few pieces. Words that change in the same step influence each other, so they are put beside
//! each other: of all pairs, those that change together most often first, as long as the result is a row.

use allways_compiled::Arrival;
use rustc_hash::{FxHashMap, FxHashSet};

/// How often words changed together.
#[derive(Default)]
pub struct Changes {
    pairs: FxHashMap<(u32, u32), u64>,
    changed: FxHashSet<u32>,
}

/// With more words than this the order stays as it is.
const MAX_WORDS: usize = 400;

impl Changes {
    pub fn note(&mut self, arrival: &Arrival) {
        if arrival.n_words > MAX_WORDS {
            return;
        }
        let mut words: Vec<u32> = arrival
            .changed
            .iter()
            .filter(|(word, before)| arrival.words[*word as usize] != *before)
            .map(|(word, _)| *word)
            .collect();
        words.sort_unstable();
        words.dedup();
        self.changed.extend(&words);
        for (i, first) in words.iter().enumerate() {
            for second in &words[i + 1..] {
                *self.pairs.entry((*first, *second)).or_default() += 1;
            }
        }
    }

    /// A row of all words that changed.
    pub fn order(&self, n_words: usize) -> Vec<u32> {
        let mut pairs: Vec<((u32, u32), u64)> =
            self.pairs.iter().map(|(pair, count)| (*pair, *count)).collect();
        pairs.sort_unstable_by_key(|(pair, count)| (std::cmp::Reverse(*count), *pair));
        let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); n_words];
        // The row that a word belongs to, found through its representative.
        let mut row: Vec<u32> = (0..n_words as u32).collect();
        let find = |row: &mut Vec<u32>, mut word: u32| {
            while row[word as usize] != word {
                row[word as usize] = row[row[word as usize] as usize];
                word = row[word as usize];
            }
            word
        };
        for ((a, b), _) in pairs {
            let (row_a, row_b) = (find(&mut row, a), find(&mut row, b));
            if row_a != row_b && neighbours[a as usize].len() < 2 && neighbours[b as usize].len() < 2 {
                neighbours[a as usize].push(b);
                neighbours[b as usize].push(a);
                row[row_a as usize] = row_b;
            }
        }
        let mut order = Vec::new();
        let mut is_placed = vec![false; n_words];
        // Rows from their ends; what changes alone comes last.
        for alone in [false, true] {
            for start in 0..n_words as u32 {
                let n = neighbours[start as usize].len();
                let is_start = n < 2 && (n == 0) == alone && self.changed.contains(&start);
                let mut next = (is_start && !is_placed[start as usize]).then_some(start);
                while let Some(word) = next {
                    is_placed[word as usize] = true;
                    order.push(word);
                    next =
                        neighbours[word as usize].iter().copied().find(|other| !is_placed[*other as usize]);
                }
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_together_stands_together() {
        let mut changes = Changes::default();
        for (pair, count) in [((0, 3), 9), ((3, 5), 8), ((1, 2), 7), ((0, 5), 6), ((2, 4), 1)] {
            changes.pairs.insert(pair, count);
            changes.changed.extend([pair.0, pair.1]);
        }
        let order = changes.order(7);
        assert_eq!(order, [0, 3, 5, 1, 2, 4]);
    }
}
