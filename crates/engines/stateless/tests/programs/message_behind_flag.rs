// A flag tells that there is something to read, but orders nothing. The two accesses are never possible at once.
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

static IS_THERE: AtomicBool = AtomicBool::new(false);
static mut MESSAGE: i32 = 0;

fn main() {
    let writer = thread::spawn(|| {
        unsafe { MESSAGE = 1 };
        IS_THERE.store(true, Relaxed);
    });
    if IS_THERE.load(Relaxed) {
        assert_eq!(unsafe { MESSAGE }, 1);
    }
    writer.join().unwrap();
}
