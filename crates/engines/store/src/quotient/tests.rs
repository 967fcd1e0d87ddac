use std::collections::HashSet;

use super::*;
use crate::tests::Random;

fn check_pair(layout: Layout, left: u32, right: u32) -> (usize, u64) {
    let (segment, mixed) = (segment_of(left, right), layout.mix(left, right));
    assert!(segment < SEGMENTS);
    assert_eq!(mixed & !layout.mask, 0);
    assert_eq!(layout.unmix(segment, mixed), (left, right), "{layout:?}");
    (segment, mixed)
}

#[test]
fn every_pair_of_short_ids_comes_back() {
    for left_bits in 1..=5 {
        for right_bits in SEGMENT_BITS..=8 {
            let layout = Layout::new(left_bits, right_bits);
            let mut seen = HashSet::new();
            for left in 0..1 << left_bits {
                for right in 0..1 << right_bits {
                    assert!(layout.fits(left, right));
                    assert!(seen.insert(check_pair(layout, left, right)));
                }
                assert!(!layout.fits(left, 1 << right_bits));
            }
            assert!(!layout.fits(1 << left_bits, 0));
        }
    }
}

#[test]
fn random_pairs_of_all_widths_come_back() {
    let mut random = Random(5);
    for left_bits in 1..=32 {
        for right_bits in SEGMENT_BITS..=32 {
            let layout = Layout::new(left_bits, right_bits);
            assert_eq!(layout.key_bits(), left_bits + right_bits - SEGMENT_BITS);
            let last = ((1u64 << left_bits) - 1) as u32;
            check_pair(layout, last, ((1u64 << right_bits) - 1) as u32);
            check_pair(layout, last, 0);
            check_pair(layout, 0, 0);
            for _ in 0..20 {
                check_pair(layout, random.below(1 << left_bits) as u32, random.below(1 << right_bits) as u32);
            }
        }
    }
}

fn check_key(shape: Shape, key: u64) -> (u64, u64) {
    let mixed = key << (64 - shape.key_bits);
    let (line, remainder) = shape.divide(mixed, shape.remainder_bits());
    assert!(line < shape.n_lines);
    assert_eq!(remainder >> shape.remainder_bits(), 0, "{shape:?} {key}");
    assert_eq!(shape.multiplier().multiply(line, remainder), mixed, "{shape:?} {key}");
    (line, remainder)
}

#[test]
fn every_short_key_comes_back_from_any_number_of_lines() {
    for key_bits in 1..=9 {
        // Also more lines than there are keys.
        for n_lines in (2..70).chain([100, 255, 256, 257, 511, 512, 513, 1000, 5000]) {
            let shape = Shape { n_lines, key_bits };
            let places: HashSet<_> = (0..1 << key_bits).map(|key| check_key(shape, key)).collect();
            assert_eq!(places.len(), 1 << key_bits, "{shape:?}");
        }
    }
}

#[test]
fn keys_come_back_line_by_line() {
    for (n_lines, key_bits) in [(2, 1), (3, 5), (16, 9), (17, 60), (1000, 33), (16_384, 60), (45_899, 40)] {
        let multiplier = Shape { n_lines, key_bits }.multiplier();
        let mut walk = multiplier.walk();
        for line in 0..n_lines {
            for remainder in [0, 1, (1 << multiplier.shape.remainder_bits()) - 1] {
                assert_eq!(walk.key(remainder), multiplier.multiply(line, remainder), "{n_lines} {line}");
            }
            walk.advance();
        }
    }
}

#[test]
fn long_keys_come_back_from_any_number_of_lines() {
    let mut random = Random(9);
    for key_bits in 10..=Layout::widest().key_bits() {
        for _ in 0..60 {
            let line_bits = 1 + random.below(36);
            let n_lines = 2 + random.below(1 << line_bits);
            let shape = Shape { n_lines, key_bits };
            let last = (1 << key_bits) - 1;
            let key = random.below(last);
            assert_ne!(check_key(shape, key), check_key(shape, key + 1));
            check_key(shape, 0);
            check_key(shape, last);
        }
    }
}
