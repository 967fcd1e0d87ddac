use std::collections::HashMap;

use super::*;
use crate::tests::Random;

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
