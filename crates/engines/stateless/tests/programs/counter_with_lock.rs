// Two threads count under a lock.
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let counter = Arc::new(Mutex::new(0));
    let count = |counter: Arc<Mutex<i32>>| thread::spawn(move || *counter.lock().unwrap() += 1);
    let threads = [count(counter.clone()), count(counter.clone())];
    threads.map(|thread| thread.join().unwrap());
    assert_eq!(*counter.lock().unwrap(), 2);
}
