//! How quick and how small the stores are: `cargo run --release --example speed [millions of pairs [which part]]`.
//!
//! Every pair is presented three times, all in random order, growth included, as a search would. Times are processor
//! times, so that a busy machine disturbs less.

use std::hint::black_box;
use std::time::{Duration, Instant};

use allways_store::{Bitstate, Compact, Exact, Full, Interner, Visited};

fn main() {
    let mut args = std::env::args().skip(1);
    let millions = args.next().and_then(|arg| arg.parse().ok()).unwrap_or(10.0);
    let part = args.next();
    let wanted = |name: &str| part.as_deref().is_none_or(|part| part == name);
    let n_pairs = (millions * 1e6) as u32;
    let operations = operations(n_pairs);
    println!("{n_pairs} pairs, {} operations", operations.len());
    for batch in [1, 8, 16, 32].into_iter().filter(|_| wanted("exact")) {
        report("exact", batch, &operations, Exact::new().unwrap());
    }
    for batch in [1, 16].into_iter().filter(|_| wanted("compact")) {
        report("compact", batch, &operations, Compact::new().unwrap());
    }
    for batch in [1, 16].into_iter().filter(|_| wanted("bitstate")) {
        report("bitstate", batch, &operations, Bitstate::new(2 * u64::from(n_pairs), None, 0).unwrap());
    }
    if wanted("threads") {
        threads(&operations);
    }
    for n_values in [1_000, 10_000, 100_000, 3_000_000].into_iter().filter(|_| wanted("interner")) {
        interner::<1>(n_values);
        interner::<2>(n_values);
        interner::<4>(n_values);
        interner::<8>(n_values);
    }
    if wanted("empty") {
        empty();
    }
}

/// Every pair three times, shuffled. Left ids are few, right ids many.
fn operations(n_keys: u32) -> Vec<(u32, u32)> {
    let side = n_keys.isqrt() / 2 + 1;
    let mut all: Vec<_> = (0..3 * n_keys).map(|i| i % n_keys).map(|i| (i % side, i / side)).collect();
    let mut random = Random(1);
    for i in (1..all.len()).rev() {
        all.swap(i, random.below(i as u64 + 1) as usize);
    }
    all
}

fn report<V: Visited>(name: &str, batch: usize, operations: &[(u32, u32)], mut set: V) {
    let (seconds, growing, peak) = run(batch, operations, &mut set);
    let (n, bytes) = (set.len() as f64, set.bytes() as f64);
    println!(
        "{name:10} batch {batch:2}: {:6.1} M/s ({:5.1} without growth)   {:5.2} bytes/pair, at most {:5.2} past a million",
        operations.len() as f64 / seconds / 1e6,
        operations.len() as f64 / (seconds - growing) / 1e6,
        bytes / n,
        peak,
    );
    let again = Clock::start();
    let new = operations.iter().filter(|(left, right)| set.insert(*left, *right).unwrap_or(false)).count();
    println!("{:10} again   : {:6.1} M/s, {new} new", "", operations.len() as f64 / again.seconds() / 1e6);
}

/// Seconds in total, seconds of growth, most bytes per pair seen.
fn run<V: Visited>(batch: usize, operations: &[(u32, u32)], set: &mut V) -> (f64, f64, f64) {
    let (start, mut growing, mut peak) = (Clock::start(), 0.0, 0f64);
    for pairs in operations.chunks(batch) {
        if set.wants_growth() {
            growing += grow(set);
            if set.len() > 1_000_000 {
                peak = peak.max(set.bytes() as f64 / set.len() as f64);
            }
        }
        if batch > 1 {
            pairs.iter().for_each(|&(left, right)| set.prefetch(left, right));
        }
        for &(left, right) in pairs {
            while let Err(Full) = black_box(set.insert(left, right)) {
                growing += grow(set);
            }
        }
    }
    (start.seconds(), growing, peak)
}

fn grow<V: Visited>(set: &mut V) -> f64 {
    let start = Clock::start();
    set.grow(None).unwrap();
    start.seconds()
}

/// Two threads on a table that has its size already.
fn threads(operations: &[(u32, u32)]) {
    let mut set = Exact::new().unwrap();
    run(16, operations, &mut set);
    for n_threads in [1, 2] {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for part in operations.chunks(operations.len().div_ceil(n_threads)) {
                let set = &set;
                scope.spawn(move || {
                    for pairs in part.chunks(16) {
                        pairs.iter().for_each(|&(left, right)| set.prefetch(left, right));
                        pairs.iter().for_each(|&(left, right)| _ = black_box(set.insert(left, right)));
                    }
                });
            }
        });
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "exact, {n_threads} threads, all found: {:6.1} M/s",
            operations.len() as f64 / seconds / 1e6
        );
    }
}

fn interner<const W: usize>(n_values: u32) {
    let mut random = Random(u64::from(n_values));
    let mut interner = Interner::new(W).unwrap();
    let start = Clock::start();
    for i in 0..n_values {
        while let Err(Full) = interner.intern(&value::<W>(i)) {
            interner.grow().unwrap();
        }
        if interner.wants_growth() {
            interner.grow().unwrap();
        }
    }
    let inserted = start.seconds() * 1e9 / f64::from(n_values);
    let wanted: Vec<u32> = (0..1 << 18).map(|_| random.below(u64::from(n_values)) as u32).collect();
    let per_value = |run: &mut dyn FnMut() -> u64| {
        let times = (0..30).map(|_| {
            let start = Clock::start();
            black_box(run());
            start.seconds() * 1e9 / wanted.len() as f64
        });
        times.fold(f64::MAX, f64::min)
    };
    // A search has the value it asks for at hand: to make it does not count.
    let made = per_value(&mut || wanted.iter().fold(0, |sum, &i| sum ^ black_box(&value::<W>(i))[0]));
    let found = per_value(&mut || {
        let find = |i| u64::from(interner.intern(black_box(&value::<W>(i))).unwrap());
        wanted.iter().fold(0, |sum, &i| sum ^ find(i))
    }) - made;
    let read = per_value(&mut || wanted.iter().fold(0, |sum, &id| sum ^ interner.value(id)[0]));
    println!(
        "interner of {n_values:8} values of {W} words: new {inserted:5.1} ns, found {found:5.1} ns, value {read:4.1} ns, {:5.2} bytes/value",
        interner.bytes() as f64 / f64::from(n_values),
    );
}

/// A value as a packed state has them: a few small fields.
fn value<const W: usize>(i: u32) -> [u64; W] {
    let i = u64::from(i);
    std::array::from_fn(
        |word| if word == 0 { i << 8 | 1 } else { ((i * 0x9e37) >> (3 * word) & 3) << (8 * word) },
    )
}

fn empty() {
    let start = Clock::start();
    for _ in 0..1000 {
        drop(black_box(Exact::new().unwrap()));
    }
    println!("empty exact set: {:.1} us", start.seconds() * 1e3);
    let start = Clock::start();
    for _ in 0..1000 {
        drop(black_box(Interner::new(4).unwrap()));
    }
    println!("empty interner: {:.1} us", start.seconds() * 1e3);
}

/// Measures the processor time of this thread.
struct Clock(Duration);

impl Clock {
    fn start() -> Clock {
        Clock(Clock::now())
    }

    fn seconds(&self) -> f64 {
        (Clock::now() - self.0).as_secs_f64()
    }

    #[cfg(unix)]
    fn now() -> Duration {
        // SAFETY: fills in the structure it is given.
        let time = unsafe {
            let mut time = std::mem::zeroed();
            libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time);
            time
        };
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }

    #[cfg(not(unix))]
    fn now() -> Duration {
        static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(word ^ word >> 31) * u128::from(n)) >> 64) as u64
    }
}
