use std::collections::HashSet;

use super::*;
use crate::tests::{Random, check_concurrent};

fn present(set: &Bitstate, n: u64) -> u64 {
    let mut random = Random(8);
    let mut new = 0;
    for _ in 0..n {
        let hash = random.next();
        set.prefetch_hash(hash);
        new += u64::from(set.insert_hash(hash).unwrap());
        assert_eq!(set.insert_hash(hash), Ok(false));
    }
    assert_eq!(set.len(), new);
    new
}

/// Fills a set with so many bits per state and compares the estimates with the truth.
fn check_estimates(bits_per_state: u64, k: Option<u32>) {
    let n = 50_000;
    let set = Bitstate::new(n * bits_per_state / 8, k, 1).unwrap();
    let new = present(&set, n) as f64;
    let n = n as f64;
    let Estimate { states, false_positive_rate: rate, coverage } = set.estimate();
    assert!((states / n - 1.0).abs() < 0.02, "{states} states of {n}");
    let (missed, expected) = (n - new, n * (1.0 - coverage));
    // Ten percent for the model, and what chance does to so many events.
    let tolerance = 0.1 * expected + 4.0 * expected.sqrt() + 3.0;
    assert!((missed - expected).abs() < tolerance, "{bits_per_state} {k:?}: {missed}, expected {expected}");
    let tries = 50_000;
    let mut random = Random(99);
    let before = fill(&set);
    let hits = (0..tries).filter(|_| is_present(&set, random.next())).count() as f64;
    assert_eq!(fill(&set), before);
    let expected = rate * f64::from(tries);
    assert!(
        (hits - expected).abs() < 0.1 * expected + 4.0 * expected.sqrt() + 3.0,
        "{hits}, expected {expected}"
    );
}

/// Looks without inserting.
fn is_present(set: &Bitstate, hash: u64) -> bool {
    let (line, mut bits) = set.site(set.ticket(hash), set.k);
    bits.all(|(word, mask)| line.0[word].load(Relaxed) & mask == mask)
}

/// The part of the bits that is set, counted.
fn fill(set: &Bitstate) -> f64 {
    let n_words = set.n_lines as usize * WORDS;
    // SAFETY: the memory has room for that many words, and nobody writes.
    let words = unsafe { std::slice::from_raw_parts(set.lines.start().cast::<u64>(), n_words) };
    let n_set: u64 = words.iter().map(|word| u64::from(word.count_ones())).sum();
    n_set as f64 / (n_words as f64 * f64::from(WORD_BITS))
}

#[test]
fn estimates_are_close() {
    for bits_per_state in [3, 8, 16, 40, 100] {
        check_estimates(bits_per_state, None);
    }
    for k in [1, 2, 3, 8, 9, 20, 24] {
        check_estimates(16, Some(k));
    }
}

#[test]
fn a_full_set_does_not_break_the_estimates() {
    let set = Bitstate::new(100 * 64, None, 0).unwrap();
    present(&set, 500_000);
    assert_eq!(fill(&set), 1.0);
    let full = set.estimate();
    assert!(full.states.is_finite());
    assert!(full.false_positive_rate > 0.99);
    assert!((0.0..0.5).contains(&full.coverage));
    let empty = Bitstate::new(0, Some(0), 0).unwrap();
    let Estimate { states, false_positive_rate, coverage } = empty.estimate();
    assert_eq!((fill(&empty), states, false_positive_rate, coverage), (0.0, 0.0, 0.0, 1.0));
}

#[test]
fn seeds_make_different_mistakes() {
    let confused = |seed| {
        let set = Bitstate::new(10_000, None, seed).unwrap();
        (0..20_000).for_each(|hash| _ = set.insert_hash(hash));
        (20_000..40_000).filter(|&hash| is_present(&set, hash)).collect::<HashSet<u64>>()
    };
    let (one, two) = (confused(1), confused(2));
    let both = one.intersection(&two).count() as f64;
    let by_chance = one.len() as f64 * two.len() as f64 / 20_000.0;
    assert!(by_chance > 100.0 && both < 1.2 * by_chance, "{both} against {by_chance}");
    assert_eq!(one, confused(1));
}

#[test]
fn four_threads_lose_nothing() {
    let pairs = (0..20_000).map(|i| (i % 77, i / 77)).collect();
    check_concurrent(Bitstate::new(4_000_000, None, 0).unwrap(), pairs, 4);
}

/// The pairs of an exact set are all known, and what is presented then is estimated well.
#[test]
fn it_can_take_the_place_of_an_exact_set() {
    let pair = |random: &mut Random| (random.below(1 << 20) as u32, random.below(1 << 20) as u32);
    let mut random = Random(3);
    let mut exact = Exact::new().unwrap();
    let known: Vec<(u32, u32)> = (0..40_000).map(|_| pair(&mut random)).collect();
    known.iter().for_each(|(left, right)| _ = crate::tests::insert(&mut exact, *left, *right));
    let n_known = exact.len();
    let mut set = Bitstate::new(60_000, None, 5).unwrap();
    set.take(exact);
    assert_eq!((set.n_known(), set.len()), (n_known, 0));
    assert!(known.iter().all(|(left, right)| set.insert(*left, *right) == Ok(false)));
    let n_more = 40_000;
    let new = (0..n_more).filter(|_| {
        let (left, right) = pair(&mut random);
        set.insert(left, right) == Ok(true)
    });
    let missed = n_more as f64 - new.count() as f64;
    let Estimate { states, coverage, .. } = set.estimate();
    assert!((states / 80_000.0 - 1.0).abs() < 0.02, "{states}");
    let expected = states * (1.0 - coverage);
    assert!(missed > 500.0 && (missed / expected - 1.0).abs() < 0.1, "{missed}, expected {expected}");
}

/// The pairs of a segment have their bits in one part.
#[test]
fn pairs_lie_by_segments() {
    let set = Bitstate::new(1 << 20, None, 9).unwrap();
    let mut random = Random(4);
    for _ in 0..1000 {
        let (left, right) = (random.next() as u32, random.next() as u32);
        let line = scale(set.pair_ticket(left, right), set.n_lines);
        assert_eq!(line * 16 / set.n_lines, segment_of(left, right) as u64);
    }
}
