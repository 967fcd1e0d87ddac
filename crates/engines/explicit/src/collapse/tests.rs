use std::collections::HashMap;

use super::*;

fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

fn retry(
    collapse: &mut Collapse,
    mut encode: impl FnMut(&Collapse) -> Result<(u32, u32), Refused>,
) -> (u32, u32) {
    loop {
        match encode(collapse) {
            Ok(pair) => return pair,
            Err(Refused::Full) => collapse.grow().expect("memory"),
            Err(Refused::TooWide(words)) => panic!("{words} words"),
        }
    }
}

/// A walk that changes a few words at a time: equal states get equal pairs, and pairs lead back to their states.
#[test]
fn pairs_name_states() {
    for n_words in [1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 20, 40, 100, 300] {
        let mut seed = n_words as u64;
        let order: Vec<u32> = (0..n_words as u32).filter(|word| n_words < 4 || word % 3 != 1).rev().collect();
        let mut collapse = Collapse::new(n_words, 64 * n_words as u32, &order, n_words == 1).expect("memory");
        let mut base = Base::default();
        let mut words = vec![0; n_words];
        let mut pair = retry(&mut collapse, |collapse| collapse.encode_all(&words, &mut base));
        let mut seen = HashMap::from([(words.clone(), pair)]);
        for _ in 0..3_000 {
            collapse.decode(pair.0, pair.1, &mut words, &mut base);
            let mut changed = Vec::new();
            for _ in 0..1 + random(&mut seed) % 3 {
                let at = random(&mut seed) as usize % n_words;
                changed.push((at as u32, words[at]));
                words[at] = random(&mut seed) % 4 * 0x1_0000_0001;
            }
            let arrival = Arrival {
                words: &words,
                n_words,
                changed: &changed,
                length: 1,
                n_steps: 1,
                movers: 0,
                last: None,
                steps: &[],
                masks: &[],
            };
            // Put off, beside another that is no longer wanted, and at once: it makes no difference.
            let mut pairs = vec![7];
            let _ = collapse.encode_later(&arrival, &mut base, &mut pairs);
            pairs.truncate(1);
            loop {
                match collapse.encode_later(&arrival, &mut base, &mut pairs) {
                    Ok(()) => break,
                    Err(_) => collapse.grow().expect("memory"),
                }
            }
            while collapse.encode_rest(&mut base, &mut pairs).is_err() {
                collapse.grow().expect("memory");
            }
            pair = retry(&mut collapse, |collapse| collapse.encode(&arrival, &mut base));
            assert_eq!(pairs, [7, pack(pair)]);
            assert_eq!(*seen.entry(words.clone()).or_insert(pair), pair);
        }
        let mut pairs: Vec<_> = seen.values().collect();
        pairs.sort();
        pairs.dedup();
        assert_eq!(pairs.len(), seen.len(), "{n_words} words");
        for (state, (left, right)) in &seen {
            let mut decoded = vec![7; n_words + 2];
            collapse.decode(*left, *right, &mut decoded, &mut base);
            assert_eq!((&decoded[..n_words], &decoded[n_words..]), (&state[..], &[0, 0][..]));
        }
    }
}

#[test]
fn states_that_are_too_wide_are_refused() {
    let collapse = Collapse::new(3, 192, &[0, 1], false).expect("memory");
    let refused = collapse.encode_all(&[1, 2, 3, 4], &mut Base::default());
    assert_eq!(refused, Err(Refused::TooWide(4)));
}
