use std::collections::HashSet;

use super::*;
use crate::tests::{Random, check_concurrent, check_like_a_set, insert, with_help};

fn pairs(set: &Exact) -> HashSet<(u32, u32)> {
    let mut pairs = HashSet::new();
    set.for_each(|left, right| assert!(pairs.insert((left, right)), "{left} {right} twice"));
    assert_eq!(pairs.len() as u64, set.len());
    pairs
}

/// How many segments have slots of eight bytes.
fn n_wide(set: &Exact) -> usize {
    (0..SEGMENTS).filter(|&i| set.table.segment(i).is_wide()).count()
}

/// An empty set with ids of these widths.
fn with_widths(left_bits: u32, right_bits: u32) -> Exact {
    let layout = Layout::new(left_bits, right_bits);
    let table = Segmented::new(layout.key_bits()).unwrap();
    let layouts = [layout; SEGMENTS];
    let gates = Box::new(Gates::new(&table, &layouts));
    Exact {
        table,
        layouts,
        gates,
        used: Default::default(),
        too_wide: Default::default(),
        hands: Arc::default(),
    }
}

#[test]
fn small_spaces_fill_completely() {
    for (left_bits, right_bits) in [(1, 4), (1, 5), (2, 4), (1, 10), (7, 4), (6, 7), (8, 8)] {
        let mut set = with_widths(left_bits, right_bits);
        let all =
            (0..1u32 << left_bits).flat_map(|left| (0..1 << right_bits).map(move |right| (left, right)));
        let plain = check_like_a_set(&mut set, all);
        // Where there is no bit to spare, growth hands some out.
        let has_grown = set.table.segment(0).shape().n_lines > FIRST_LINES;
        assert_eq!(set.layouts[0] == Layout::new(left_bits, right_bits), !has_grown);
        assert_eq!(pairs(&set), plain);
    }
}

#[test]
fn ids_at_the_edges_of_every_width() {
    let edges = (0..=32u32).flat_map(|bits| {
        let power = 1u64 << bits;
        [power - 1, power, power + 1].map(|id| id.min(u64::from(u32::MAX)) as u32)
    });
    let edges: Vec<u32> = edges.collect();
    let all = edges.iter().flat_map(|&left| edges.iter().map(move |&right| (left, right)));
    let mut set = Exact::new().unwrap();
    let plain = check_like_a_set(&mut set, all);
    assert_eq!(pairs(&set), plain);
}

#[test]
fn long_ids_get_wide_slots_and_narrow_ones_when_there_are_enough() {
    let mut set = Exact::new().unwrap();
    let mut random = Random(2);
    let mut plain = HashSet::new();
    assert_eq!(n_wide(&set), 0);
    // 19 + 20 bits are too many for a thousand keys, but not for a hundred thousand.
    for n in 0..150_000 {
        let (left, right) = (random.below(1 << 19) as u32, random.below(1 << 20) as u32);
        assert_eq!(insert(&mut set, left, right), plain.insert((left, right)));
        if n == 1000 {
            assert!(n_wide(&set) > 0);
            assert_eq!(pairs(&set), plain);
        }
    }
    assert_eq!(n_wide(&set), 0);
    assert_eq!(pairs(&set), plain);
    assert!(set.layouts.iter().all(|layout| layout.fits((1 << 19) - 1, (1 << 20) - 1)));
}

#[test]
fn an_id_that_does_not_fit_widens_the_ids() {
    let mut set = with_widths(3, 6);
    for left in 0..8 {
        for right in 0..64 {
            assert_eq!(set.insert(left, right), Ok(true));
        }
    }
    assert!(!set.wants_growth());
    assert_eq!(set.insert(8, 0), Err(Full));
    assert_eq!(set.insert(0, 64), Err(Full));
    set.prefetch(8, 64);
    set.grow(None).unwrap();
    assert_eq!(set.insert(8, 0), Ok(true));
    assert_eq!(set.insert(0, 64), Ok(true));
    assert_eq!(pairs(&set).len(), 8 * 64 + 2);
    // Spare bits went to both sides.
    assert!(set.layouts.iter().all(|layout| layout.fits(1 << 12, 1 << 12)));
}

#[test]
fn ids_that_grow_with_the_set_find_room() {
    let mut set = Exact::new().unwrap();
    let mut random = Random(7);
    let mut n_full = 0;
    for n in 0..1_000_000 {
        let (left, right) = (random.below(n / 2 + 2) as u32, random.below(n / 2 + 2) as u32);
        while set.insert(left, right).is_err() {
            n_full += u32::from(n > 10_000);
            set.grow(None).unwrap();
        }
        if set.wants_growth() {
            set.grow(None).unwrap();
        }
    }
    assert_eq!(n_full, 0);
    assert_eq!(n_wide(&set), 0);
}

#[test]
fn several_threads_grow_as_one_does() {
    with_help(check_growth_with_help);
}

fn check_growth_with_help(hands: Arc<Hands>) {
    let (mut alone, mut together) = (Exact::new().unwrap(), Exact::with_help(hands).unwrap());
    let mut random = Random(5);
    // In the middle ids become longer, and towards the end there is little memory left.
    for n in 0..2_000_000u32 {
        let bits = if n < 1_000_000 { 14 } else { 20 };
        let (left, right) = (random.below(1 << bits) as u32, random.below(1 << bits) as u32);
        assert_eq!(insert(&mut alone, left, right), insert(&mut together, left, right));
    }
    assert_eq!(pairs(&alone), pairs(&together));
    assert_eq!(alone.bytes(), together.bytes());
    let limit = alone.bytes() + alone.bytes() / 12;
    let fill = |set: &mut Exact| {
        let mut n = 0u32;
        loop {
            match set.insert(n % 4096, (1 << 20) | (n / 4096)) {
                Ok(_) => n += 1,
                Err(Full) if set.grow(Some(limit)).is_ok() => {}
                Err(Full) => return n,
            }
            assert!(set.bytes() <= limit);
            if set.wants_growth() {
                _ = set.grow(Some(limit));
            }
        }
    };
    let n = [fill(&mut alone), fill(&mut together)];
    assert!(n[0].abs_diff(n[1]) < n[0] / 10, "{n:?}");
}

/// Several new segments at a time need more room than one. Where there is not enough they come one after the other.
#[test]
fn those_who_help_need_no_more_room() {
    with_help(|hands| {
        for n_pairs in [100_000u32, 300_000, 1_000_000] {
            let mut set = Exact::with_help(hands.clone()).unwrap();
            for n in 0..n_pairs {
                insert(&mut set, n % 1024, n / 1024);
            }
            // All are crowded, and will have wide lines.
            (0..SEGMENTS).for_each(|i| set.table.set_crowded(i));
            assert_eq!(set.insert(u32::MAX, u32::MAX), Err(Full));
            let limit = set.bytes() * 33 / 10;
            set.grow(Some(limit)).unwrap();
            assert_eq!(set.insert(u32::MAX, u32::MAX), Ok(true));
            assert!(set.bytes() <= limit && set.len() == u64::from(n_pairs) + 1);
        }
    });
}

#[test]
fn growth_that_nobody_asked_for_does_nothing() {
    let mut set = Exact::new().unwrap();
    let bytes = set.bytes();
    assert_eq!(set.insert(1, 2), Ok(true));
    set.grow(None).unwrap();
    assert_eq!(set.bytes(), bytes);
}

#[test]
fn an_overfull_table_says_so_and_stays_right() {
    for widths in [(18, 18), (32, 32)] {
        let mut set = with_widths(widths.0, widths.1);
        let (mut inside, mut refused) = (Vec::new(), Vec::new());
        // More keys than slots: probe sequences must run out.
        for i in 0..5000 {
            match set.insert(i % 70, i / 70) {
                Ok(new) => {
                    assert!(new);
                    inside.push((i % 70, i / 70));
                }
                Err(Full) => refused.push((i % 70, i / 70)),
            }
        }
        assert!(set.wants_growth());
        let slots: u64 = (0..SEGMENTS).map(|i| set.table.segment(i).slots()).sum();
        assert!(
            !refused.is_empty() && inside.len() as f64 > 0.9 * slots as f64,
            "{} of {slots}",
            inside.len()
        );
        assert!(inside.iter().all(|&(left, right)| set.insert(left, right) == Ok(false)));
        assert!(refused.iter().all(|&(left, right)| set.insert(left, right) == Err(Full)));
        assert!(refused.iter().all(|&(left, right)| insert(&mut set, left, right)));
        assert_eq!(pairs(&set).len(), 5000);
    }
}

#[test]
fn a_limit_is_kept() {
    for (bits, limit) in [(9, 50_000), (9, 200_000), (30, 200_000)] {
        let mut set = Exact::new().unwrap();
        let mut inside = HashSet::new();
        let mut random = Random(11);
        loop {
            let (left, right) = (random.below(1 << bits) as u32, random.below(1 << bits) as u32);
            match set.insert(left, right) {
                Ok(new) => assert_eq!(new, inside.insert((left, right))),
                Err(Full) if set.grow(Some(limit)).is_err() => break,
                Err(Full) => assert!(set.bytes() <= limit),
            }
        }
        assert_eq!(pairs(&set), inside);
        assert!(inside.iter().all(|&(left, right)| set.insert(left, right) == Ok(false)));
        let per_pair = set.bytes() as f64 / inside.len() as f64;
        assert!(per_pair < if bits == 9 { 9.0 } else { 17.0 }, "{per_pair}");
        // With more memory it goes on.
        let n = set.len();
        (0..1000).for_each(|i| assert!(insert(&mut set, u32::MAX, i)));
        assert_eq!(set.len(), n + 1000);
    }
}

#[test]
fn after_a_refused_growth_only_full_asks_again() {
    let mut set = Exact::new().unwrap();
    let mut next = 0;
    while !set.wants_growth() {
        set.insert(3, next).unwrap();
        next += 1;
    }
    assert_eq!(set.grow(Some(set.bytes())), Err(OutOfMemory));
    assert!(!set.wants_growth());
    while set.insert(3, next).is_ok() {
        next += 1;
    }
    assert!(set.wants_growth());
}

#[test]
fn four_threads_agree() {
    let mut random = Random(4);
    // Narrow slots, wide slots, and widening on the way.
    for (left, right) in [(300, 1000), (u64::from(u32::MAX), u64::from(u32::MAX))] {
        let pairs = (0..20_000).map(|_| (random.below(left) as u32, random.below(right) as u32)).collect();
        let set = check_concurrent(Exact::new().unwrap(), pairs, 1);
        assert_eq!(self::pairs(&set).len() as u64, set.len());
    }
    let pairs = (0..20_000).map(|i| (i, i * 100)).collect();
    check_concurrent(Exact::new().unwrap(), pairs, 1);
}

#[test]
fn takes_few_bytes() {
    let mut set = Exact::new().unwrap();
    for i in 0..6_000_000 {
        insert(&mut set, i % 2000, i / 2000);
        if set.wants_growth() {
            set.grow(None).unwrap();
        }
        if i > 4_500_000 && i % 10_000 == 0 {
            let per_pair = set.bytes() as f64 / f64::from(i);
            assert!((4.6..7.2).contains(&per_pair), "{per_pair}");
        }
    }
}

#[test]
fn spare_bits_go_to_both_sides() {
    assert_eq!(narrow_layout(4, [1, 4]).unwrap().key_bits(), 28 + 2);
    assert_eq!(narrow_layout(1 << 20, [1, 4]), Some(Layout::new(24, 28)));
    assert_eq!(narrow_layout(1 << 20, [24, 26]), Some(Layout::new(25, 27)));
    assert_eq!(narrow_layout(1 << 20, [26, 26]), None);
    assert_eq!(narrow_layout(1 << 20, [5, 32]), Some(Layout::new(20, 32)));
    assert_eq!(narrow_layout(1 << 40, [32, 32]), Some(Layout::widest()));
}

/// Pairs that are added together: one with a long left id, one with a long right one. Room for the one must not be made at
/// the expense of the other, again and again.
#[test]
fn pairs_that_are_added_together_fit_together() {
    // With long ids the segments get wide lines.
    for (alone, cut) in [(false, 0u32), (true, 0), (false, 19), (true, 19)] {
        let mut set = Exact::new().unwrap();
        let mut random = Random(7);
        let mut plain = HashSet::new();
        let mut insertion = Insertion::new(alone);
        for round in 0..3_000 {
            let mut id = |n_bits: u32| random.next() as u32 >> (cut + round % n_bits).min(31);
            let (left, right) = (id(30), id(29));
            let batch = [(left, round), (round, right), (left, right), (left, round), (round % 7, round % 5)];
            let words = batch.map(|(left, right)| u64::from(left) | u64::from(right) << 32);
            let mut n_grown = 0;
            insertion.start();
            while let Err(Full) = set.insert_all(&words, &mut insertion) {
                set.count(&mut insertion);
                set.grow(None).unwrap();
                n_grown += 1;
                assert!(n_grown < 4, "{batch:?}");
            }
            let mut fresh: Vec<usize> = insertion.fresh().iter().map(|number| *number as usize).collect();
            fresh.sort();
            let expected: Vec<usize> = (0..batch.len()).filter(|at| plain.insert(batch[*at])).collect();
            assert_eq!(fresh, expected);
            set.count(&mut insertion);
            assert_eq!(set.len(), plain.len() as u64);
            if set.wants_growth() {
                set.grow(None).unwrap();
            }
        }
        assert_eq!(n_wide(&set), if cut > 0 { 0 } else { SEGMENTS });
        assert_eq!(pairs(&set), plain);
    }
}

/// The place of one pair among the recent ones is taken by another and given back, and no pair is taken for recent at first.
#[test]
fn pairs_that_share_a_place_are_not_confused() {
    for word in [0, 1, u64::MAX, u64::from(u32::MAX)] {
        let mut set = Exact::new().unwrap();
        let mut insertion = Insertion::new(true);
        let (mut n_fresh, mut plain) = (0, HashSet::new());
        // Many more than there are places, and each time some that were there before.
        for round in 0..2_000u64 {
            let batch: Vec<u64> = (0..40).map(|i| word ^ ((round * 20 + i) % 9_000)).collect();
            insertion.start();
            while let Err(Full) = set.insert_all(&batch, &mut insertion) {
                set.grow(None).unwrap();
            }
            n_fresh += insertion.fresh().len();
            set.count(&mut insertion);
            plain.extend(batch);
            assert_eq!(n_fresh, plain.len());
            if set.wants_growth() {
                set.grow(None).unwrap();
            }
        }
        assert_eq!(set.len(), 9_000);
    }
}

/// Pairs for which there was no room are tried again, though they were met a moment ago.
#[test]
fn what_did_not_get_in_is_not_taken_for_known() {
    for alone in [false, true] {
        let mut set = Exact::new().unwrap();
        let mut insertion = Insertion::new(alone);
        let mut n_full = 0;
        // It grows only when there is no room left at all.
        for round in 0..3_000u64 {
            let batch: Vec<u64> = (0..100).map(|i| round * 100 + i).collect();
            insertion.start();
            while let Err(Full) = set.insert_all(&batch, &mut insertion) {
                n_full += u32::from(insertion.n_done() == 0 && !insertion.fresh().is_empty());
                set.count(&mut insertion);
                set.grow(None).unwrap();
            }
            assert_eq!(insertion.fresh().len(), batch.len());
            set.count(&mut insertion);
        }
        assert_eq!(pairs(&set).len(), 300_000);
        // Some had got in by then.
        assert!(n_full > 3, "{n_full}");
    }
}

#[test]
fn large_batches_find_full_lines() {
    // With few bits cut off the ids are so long that segments get wide lines.
    for (alone, cut) in [(false, 16), (true, 16), (false, 2), (true, 2)] {
        let mut set = Exact::new().unwrap();
        let mut random = Random(11);
        let mut plain = HashSet::new();
        let mut insertion = Insertion::new(alone);
        let mut n_put_off = 0;
        for _ in 0..400 {
            let mut pair = || {
                // One of a few, or any.
                let (left, right) = (random.next(), random.next());
                let range = if left % 2 == 0 { 40 } else { u64::from(u32::MAX >> cut) };
                ((left >> 8) % range) | (((right >> 8) % range) << 32)
            };
            let batch: Vec<u64> = (0..200).map(|_| pair()).collect();
            insertion.start();
            let mut n_grown = 0;
            while let Err(Full) = set.insert_all(&batch, &mut insertion) {
                set.grow(None).unwrap();
                n_grown += 1;
            }
            n_put_off += insertion.n_put_off();
            let mut fresh: Vec<u32> = insertion.fresh().to_vec();
            assert!(n_grown > 0 || fresh.is_sorted());
            fresh.sort();
            let expected: Vec<u32> = (0..200).filter(|at| plain.insert(batch[*at as usize])).collect();
            assert_eq!(fresh, expected);
            set.count(&mut insertion);
            if set.wants_growth() {
                set.grow(None).unwrap();
            }
        }
        assert_eq!(set.len(), plain.len() as u64);
        assert_eq!(n_wide(&set), if cut > 8 { 0 } else { SEGMENTS });
        assert!(n_put_off > 100, "{n_put_off}");
    }
}
