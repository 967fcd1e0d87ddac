use std::collections::HashSet;

use super::*;
use crate::Insertion;
use crate::tests::{Random, check_concurrent};

#[test]
fn hashes_are_kept_whole() {
    let mut set = Compact::new().unwrap();
    let mut random = Random(6);
    let mut plain = HashSet::new();
    let close = (0..64).flat_map(|bit| [1 << bit, u64::MAX ^ 1 << bit]).chain([0, u64::MAX]);
    for hash in close.chain((0..20_000).map(|_| random.next())) {
        for expected in [plain.insert(hash), false] {
            let new = loop {
                match set.insert_hash(hash) {
                    Ok(new) => break new,
                    Err(Full) => set.grow(None).unwrap(),
                }
            };
            assert_eq!(new, expected);
        }
        set.prefetch_hash(hash);
    }
    assert_eq!(set.len(), plain.len() as u64);
    assert!(set.bytes() as f64 / (plain.len() as f64) < 24.0);
}

#[test]
fn a_limit_is_kept() {
    let mut set = Compact::new().unwrap();
    let mut n = 0;
    loop {
        match set.insert_hash(n) {
            Ok(new) => {
                assert!(new);
                n += 1;
            }
            Err(Full) if set.grow(Some(300_000)).is_err() => break,
            Err(Full) => {}
        }
    }
    assert!(set.bytes() <= 300_000 && n > 16_000, "{n}");
    assert!((0..n).all(|hash| set.insert_hash(hash) == Ok(false)));
    assert_eq!(set.len(), n);
}

#[test]
fn four_threads_agree() {
    let pairs = (0..20_000).map(|i| (i % 77, i / 77)).collect();
    check_concurrent(Compact::new().unwrap(), pairs, 1);
}

#[test]
fn mistakes_are_improbable() {
    let mut set = Compact::new().unwrap();
    assert_eq!(set.missed_probability(), 0.0);
    for hash in 0..100_000 {
        while set.insert_hash(hash).is_err() {
            set.grow(None).unwrap();
        }
    }
    let expected = 1e10 / 2f64.powi(65);
    assert!((set.missed_probability() / expected - 1.0).abs() < 1e-6);
}

/// States for which there was no room are tried again, though they were met a moment ago; none is taken for another.
#[test]
fn what_did_not_get_in_is_not_taken_for_known() {
    for alone in [false, true] {
        let mut set = Compact::new().unwrap();
        let mut insertion = Insertion::new(alone);
        let (mut n_fresh, mut n_cut) = (0, 0);
        // It grows only when there is no room left at all. Half of the states of a batch are those of the one before.
        for round in 0..3_000u64 {
            let batch: Vec<u64> = (0..200).map(|i| round * 100 + i).collect();
            insertion.start();
            while let Err(Full) = insertion.insert_states(&set, &batch, 1) {
                n_cut += u32::from(insertion.n_done() > 0);
                set.grow(None).unwrap();
            }
            assert_eq!(insertion.n_done(), batch.len());
            n_fresh += insertion.fresh().len();
            assert_eq!(n_fresh as u64, round * 100 + 200);
        }
        assert_eq!(set.len(), n_fresh as u64);
        assert!(n_cut > 3, "{n_cut}");
    }
}
