// Two threads increment a number in two steps each.
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let number = Arc::new(Mutex::new(0));
    let add = |number: Arc<Mutex<u32>>| {
        let before = *number.lock().unwrap();
        *number.lock().unwrap() = before + 1;
    };
    let threads = [0, 1].map(|_| {
        let number = number.clone();
        thread::spawn(move || add(number))
    });
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(*number.lock().unwrap(), 2);
}
