// Two threads count without a lock.
use std::thread;

struct Counter(*mut i32);

// SAFETY: none, that is the mistake.
unsafe impl Send for Counter {}

fn count(counter: Counter) {
    unsafe { *counter.0 += 1 };
}

fn main() {
    let counter = Box::into_raw(Box::new(0));
    let begin = |counter: Counter| thread::spawn(move || count({ counter }));
    let threads = [begin(Counter(counter)), begin(Counter(counter))];
    threads.map(|thread| thread.join().unwrap());
    assert_eq!(unsafe { *counter }, 2);
}
