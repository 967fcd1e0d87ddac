//! What all sets have in common, and the helpers of the other tests.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};

use crate::*;

/// Calls `work` while two other threads lend a hand, again and again until one did.
pub(crate) fn with_help(work: impl Fn(Arc<Hands>)) {
    let (hands, is_over, has_helped) =
        (Arc::new(Hands::new(3)), AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    has_helped.fetch_or(hands.lend(), Ordering::Relaxed);
                    std::thread::yield_now();
                }
            });
        }
        // The helpers are not to wait for work that panicked.
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            (0..100).any(|_| {
                work(hands.clone());
                has_helped.load(Ordering::Relaxed)
            })
        }));
        is_over.store(true, Ordering::Relaxed);
        assert!(done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
    });
}

/// A small generator of evenly distributed words.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        hash::mix(hash::mix(self.0))
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        hash::scale(self.next(), n)
    }
}

/// Inserts a pair, growing as often as it takes.
pub(crate) fn insert<V: Visited>(set: &mut V, left: u32, right: u32) -> bool {
    loop {
        match set.insert(left, right) {
            Ok(new) => return new,
            Err(Full) => set.grow(None).unwrap(),
        }
    }
}

/// Inserts pairs, each several times, and compares every answer with a plain set.
pub(crate) fn check_like_a_set<V: Visited>(
    set: &mut V,
    pairs: impl IntoIterator<Item = (u32, u32)>,
) -> HashSet<(u32, u32)> {
    let mut plain = HashSet::new();
    let mut random = Random(1);
    let mut all = Vec::new();
    for (left, right) in pairs {
        all.push((left, right));
        set.prefetch(left, right);
        assert_eq!(insert(set, left, right), plain.insert((left, right)), "{left} {right}");
        let (left, right) = all[random.below(all.len() as u64) as usize];
        assert!(!insert(set, left, right), "{left} {right} is lost");
        if set.wants_growth() && random.below(2) == 0 {
            set.grow(None).unwrap();
        }
    }
    assert_eq!(set.len(), plain.len() as u64);
    for &(left, right) in &plain {
        assert_eq!(set.insert(left, right), Ok(false), "{left} {right} is lost");
    }
    plain
}

/// Four threads insert the same pairs in different orders, growing under a lock as a search does. Each pair must be new for
/// at least one thread, and for at most `most_new` of them.
pub(crate) fn check_concurrent<V: Visited>(set: V, pairs: Vec<(u32, u32)>, most_new: u8) -> V {
    let lock = RwLock::new(set);
    let new_of_thread = |thread: usize| {
        let mut new = Vec::new();
        let mut set = lock.read().unwrap();
        for i in 0..pairs.len() {
            // Threads 0 and 1 race side by side, 2 backwards, 3 from the middle.
            let i = [i, i, pairs.len() - 1 - i, (i + pairs.len() / 2) % pairs.len()][thread];
            let (left, right) = pairs[i];
            loop {
                match set.insert(left, right) {
                    Ok(is_new) => {
                        new.extend(is_new.then_some((left, right)));
                        break;
                    }
                    Err(Full) => {
                        drop(set);
                        lock.write().unwrap().grow(None).unwrap();
                        set = lock.read().unwrap();
                    }
                }
            }
        }
        new
    };
    let mut times = HashMap::new();
    std::thread::scope(|scope| {
        let threads = [0, 1, 2, 3].map(|thread| scope.spawn(move || new_of_thread(thread)));
        for thread in threads {
            thread.join().unwrap().into_iter().for_each(|pair| *times.entry(pair).or_insert(0) += 1);
        }
    });
    let distinct = pairs.iter().collect::<HashSet<_>>().len();
    assert!(times.values().all(|&times| times <= most_new));
    let set = lock.into_inner().unwrap();
    if most_new == 1 {
        assert_eq!(times.len(), distinct);
        assert_eq!(set.len(), distinct as u64);
    } else {
        assert!(times.len() as f64 > 0.999 * distinct as f64);
    }
    set
}

/// Distributions of pairs that are unkind to a table.
pub(crate) fn unkind_pairs(n: u32) -> Vec<(&'static str, Vec<(u32, u32)>)> {
    let mut random = Random(7);
    let side = n.isqrt();
    let grid = |i: u32| (i % side, i / side);
    let all = |f: &mut dyn FnMut(u32) -> (u32, u32)| (0..n).map(f).collect::<Vec<_>>();
    vec![
        ("sequential left", all(&mut |i| (i, 5))),
        ("sequential right", all(&mut |i| (5, i))),
        ("both sequential", all(&mut |i| (i, i))),
        ("steps of 64", all(&mut |i| (0, i.wrapping_mul(64)))),
        ("steps of 4096", all(&mut |i| (i.wrapping_mul(4096), 3))),
        ("high bits", all(&mut |i| (i << 20 | 1, i >> 12 << 26))),
        ("near the end", all(&mut |i| (u32::MAX - i, u32::MAX - i % 7))),
        ("grid", all(&mut |i| grid(i))),
        ("grid of large steps", all(&mut |i| (grid(i).0 << 22, grid(i).1 << 22))),
        ("random", all(&mut |_| (random.next() as u32, random.next() as u32))),
        ("random and narrow", all(&mut |_| (random.below(300) as u32, random.below(3000) as u32))),
        (
            "getting wider",
            all(&mut |i| (random.below(1 << (i * 32 / n)) as u32, random.below(1 << (i * 31 / n)) as u32)),
        ),
    ]
}

#[test]
fn exact_is_a_set() {
    for (name, pairs) in unkind_pairs(20_000) {
        println!("{name}");
        let mut set = Exact::new().unwrap();
        let plain = check_like_a_set(&mut set, pairs);
        let mut found = HashSet::new();
        set.for_each(|left, right| assert!(found.insert((left, right)), "{left} {right} twice"));
        assert_eq!(found, plain, "{name}");
    }
}

#[test]
fn compact_is_a_set() {
    for (name, pairs) in unkind_pairs(20_000) {
        println!("{name}");
        check_like_a_set(&mut Compact::new().unwrap(), pairs);
    }
}

#[test]
fn empty_sets_are_small() {
    assert!(Exact::new().unwrap().bytes() < 30_000);
    assert!(Compact::new().unwrap().bytes() < 30_000);
    assert!(Interner::new(4).unwrap().bytes() < 30_000);
}
