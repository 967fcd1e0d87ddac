use std::collections::HashMap;
use std::sync::RwLock;

use super::*;
use crate::tests::{Random, with_help};

fn intern(interner: &mut Interner, value: &[u64]) -> u32 {
    loop {
        match interner.intern(value) {
            Ok(id) => return id,
            Err(Full) => interner.grow().unwrap(),
        }
    }
}

/// Interns values and compares with a plain map.
fn check_like_a_map(mut interner: Interner, values: impl IntoIterator<Item = Vec<u64>>) {
    let width = interner.width();
    let mut plain = HashMap::from([(vec![0; width], 0)]);
    let mut random = Random(3);
    for value in values {
        let next = plain.len() as u32;
        let id = intern(&mut interner, &value);
        assert_eq!(id, *plain.entry(value.clone()).or_insert(next));
        assert_eq!(interner.value(id), value);
        if interner.wants_growth() && random.below(2) == 0 {
            interner.grow().unwrap();
            assert!(!interner.wants_growth());
        }
    }
    assert_eq!(interner.len(), plain.len() as u32);
    for (value, id) in plain {
        assert_eq!(interner.intern(&value), Ok(id));
        assert_eq!(interner.value(id), value);
    }
}

/// Values of a width, some of them equal, some of them zero.
fn values(width: usize, n: u64) -> impl Iterator<Item = Vec<u64>> {
    let mut random = Random(width as u64);
    (0..n).map(move |i| match i % 4 {
        0 => vec![i / 2; width],
        1 => (0..width as u64).map(|word| if word == i % width as u64 { i } else { 0 }).collect(),
        2 => (0..width).map(|_| random.below(3)).collect(),
        _ => (0..width).map(|_| random.next()).collect(),
    })
}

#[test]
fn every_width_is_a_map() {
    for width in 1..=8 {
        check_like_a_map(Interner::new(width).unwrap(), values(width, 20_000));
    }
}

#[test]
fn several_threads_grow_it_like_one() {
    for width in [1, 2] {
        with_help(|hands| {
            let mut interner = Interner::new(width).unwrap();
            interner.grow_with_help(hands);
            check_like_a_map(interner, values(width, 300_000));
        });
    }
}

#[test]
fn works_without_reserved_address_space() {
    for width in [1, 3, 8] {
        let values_in_memory = Values::allocate(width, FIRST_VALUES).unwrap();
        check_like_a_map(Interner::with_values(width, values_in_memory).unwrap(), values(width, 20_000));
    }
}

#[test]
fn zero_is_zero() {
    for width in 1..=8 {
        let interner = Interner::new(width).unwrap();
        assert_eq!(interner.intern(&vec![0; width]), Ok(0));
        assert_eq!(interner.value(0), vec![0; width]);
        assert!(interner.is_empty());
    }
}

#[test]
fn growth_that_nobody_asked_for_does_nothing() {
    let mut interner = Interner::new(1).unwrap();
    let bytes = interner.bytes();
    interner.grow().unwrap();
    assert_eq!(interner.bytes(), bytes);
}

#[test]
fn a_full_table_says_so_and_stays_right() {
    let mut interner = Interner::new(2).unwrap();
    let mut n = 0;
    while interner.intern(&[n + 1, 7]).is_ok() {
        n += 1;
    }
    assert_eq!(n + 1, full_at(FIRST_LINES));
    assert!(interner.wants_growth());
    assert!((0..n).all(|i| interner.intern(&[i + 1, 7]) == Ok(i as u32 + 1)));
    assert_eq!(interner.intern(&[n + 1, 7]), Err(Full));
    interner.prefetch(&[n + 1, 7]);
    assert_eq!(intern(&mut interner, &[n + 1, 7]), n as u32 + 1);
    assert!((0..=n).all(|i| interner.intern(&[i + 1, 7]) == Ok(i as u32 + 1)));
}

#[test]
fn a_value_costs_itself_and_a_few_bytes() {
    let mut interner = Interner::new(1).unwrap();
    for i in 0..400_000 {
        intern(&mut interner, &[i]);
        if interner.wants_growth() {
            interner.grow().unwrap();
        }
        if i > 250_000 && i % 10_000 == 0 && interner.values.reserved {
            let extra = interner.bytes() as f64 / i as f64 - 8.0;
            assert!((4.0..8.0).contains(&extra), "{extra}");
        }
    }
}

#[test]
#[should_panic]
fn a_value_of_another_width_is_refused() {
    let _ = Interner::new(2).unwrap().intern(&[1]);
}

/// Four threads intern the same values in different orders, growing under a lock.
fn check_concurrent(interner: Interner, values: &[Vec<u64>]) {
    let lock = RwLock::new(interner);
    let ids_of_thread = |thread: usize| {
        let mut ids = vec![0; values.len()];
        let mut interner = lock.read().unwrap();
        for i in 0..values.len() {
            let i = [i, i, values.len() - 1 - i, (i + values.len() / 2) % values.len()][thread];
            ids[i] = loop {
                match interner.intern(&values[i]) {
                    Ok(id) => break id,
                    Err(Full) => {
                        drop(interner);
                        lock.write().unwrap().grow().unwrap();
                        interner = lock.read().unwrap();
                    }
                }
            };
            assert_eq!(interner.value(ids[i]), values[i]);
        }
        ids
    };
    let ids = std::thread::scope(|scope| {
        let threads = [0, 1, 2, 3].map(|thread| scope.spawn(move || ids_of_thread(thread)));
        threads.map(|thread| thread.join().unwrap())
    });
    assert!(ids.iter().all(|of_thread| *of_thread == ids[0]));
    let interner = lock.into_inner().unwrap();
    let mut plain = HashMap::new();
    for (value, &id) in values.iter().zip(&ids[0]) {
        assert_eq!(*plain.entry(value).or_insert(id), id);
        assert_eq!(interner.value(id), *value);
        assert_eq!(interner.intern(value), Ok(id));
    }
    let distinct = plain.values().collect::<std::collections::HashSet<_>>().len();
    assert_eq!(distinct, plain.len());
    // Some ids may get lost, but not many.
    assert!((interner.len() as usize) < 2 * (distinct + 10));
}

#[test]
fn four_threads_agree() {
    for width in [1, 2, 5] {
        // Short rounds, because the threads are closest to each other just after the start.
        let few: Vec<_> = values(width, 500).collect();
        (0..50).for_each(|_| check_concurrent(Interner::new(width).unwrap(), &few));
        let values: Vec<_> = values(width, 20_000).collect();
        check_concurrent(Interner::new(width).unwrap(), &values);
        let values_in_memory = Values::allocate(width, FIRST_VALUES).unwrap();
        check_concurrent(Interner::with_values(width, values_in_memory).unwrap(), &values);
    }
}
