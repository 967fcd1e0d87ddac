//! Threads that help each other.
//!
//! While a store grows, the threads that use it can do nothing but wait. To sleep meanwhile would be a waste, and to be woken up
//! takes as long as many a growth. So they lend a hand.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lets threads that wait take part in what another one does.
#[derive(Default)]
pub struct Hands {
    /// There are other threads that may help.
    several: bool,
    work: Mutex<Option<&'static Work>>,
    /// There is some.
    wanted: AtomicBool,
    /// How many threads take part in it, besides the one whose it is.
    n_helping: AtomicUsize,
    /// One of these panicked.
    failed: AtomicBool,
}

/// Called by each that takes part: it does what is left to do, until nothing is. Whether there was anything. It must not share work itself.
type Work = dyn Fn() -> bool + Sync;

impl Hands {
    /// For so many threads, the one with the work included.
    pub fn new(n_threads: usize) -> Hands {
        Hands { several: n_threads > 1, ..Hands::default() }
    }

    /// Whether anybody may help.
    pub(crate) fn are_several(&self) -> bool {
        self.several
    }

    /// Does some work, with the help of all that wait meanwhile.
    ///
    /// # Panics
    /// If the work does, here or elsewhere.
    pub(crate) fn share(&self, work: &(dyn Fn() -> bool + Sync)) {
        // SAFETY: nobody has the reference any more when this function returns: `Withdrawal` takes it back and waits for all that help,
        // even if the work panics.
        let shared = unsafe { std::mem::transmute::<&(dyn Fn() -> bool + Sync), &'static Work>(work) };
        let withdrawal = Withdrawal(self);
        *self.lock() = Some(shared);
        self.wanted.store(true, Ordering::Relaxed);
        work();
        drop(withdrawal);
        assert!(!self.failed.load(Ordering::Relaxed), "a thread that helped has panicked");
    }

    /// Takes part in what another thread does. Whether there was anything left to do.
    pub fn lend(&self) -> bool {
        if !self.wanted.load(Ordering::Relaxed) {
            return false;
        }
        let guard = self.lock();
        let Some(work) = *guard else { return false };
        self.n_helping.fetch_add(1, Ordering::Relaxed);
        drop(guard);
        let _helping = Helping(self);
        work()
    }

    fn lock(&self) -> MutexGuard<'_, Option<&'static Work>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the work for all.
struct Withdrawal<'h>(&'h Hands);

impl Drop for Withdrawal<'_> {
    fn drop(&mut self) {
        self.0.wanted.store(false, Ordering::Relaxed);
        *self.0.lock() = None;
        while self.0.n_helping.load(Ordering::Acquire) > 0 {
            std::thread::yield_now();
        }
    }
}

/// Ends the work for one.
struct Helping<'h>(&'h Hands);

impl Drop for Helping<'_> {
    fn drop(&mut self) {
        self.0.failed.fetch_or(std::thread::panicking(), Ordering::Relaxed);
        self.0.n_helping.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_wait_take_part() {
        let hands = Hands::new(3);
        let n = if cfg!(miri) { 30 } else { 3_000 };
        let own = std::thread::current().id();
        for _ in 0..3 {
            let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
            let (n_by_others, n_helped) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let done: Vec<AtomicUsize> = (0..n).map(|_| AtomicUsize::new(0)).collect();
            std::thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| {
                        while !is_over.load(Ordering::Relaxed) {
                            n_helped.fetch_add(usize::from(hands.lend()), Ordering::Relaxed);
                            std::thread::yield_now();
                        }
                    });
                }
                hands.share(&|| {
                    let is_own = std::thread::current().id() == own;
                    // Something is left when the others come.
                    while is_own && n_by_others.load(Ordering::Relaxed) == 0 {
                        std::thread::yield_now();
                    }
                    let mut was_left = false;
                    while let Some(one) = done.get(next.fetch_add(1, Ordering::Relaxed)) {
                        one.fetch_add(1, Ordering::Relaxed);
                        n_by_others.fetch_add(usize::from(!is_own), Ordering::Relaxed);
                        was_left = true;
                    }
                    was_left
                });
                is_over.store(true, Ordering::Relaxed);
            });
            assert!(done.iter().all(|times| times.load(Ordering::Relaxed) == 1));
            assert!(n_helped.load(Ordering::Relaxed) > 0);
        }
        assert!(!hands.lend());
    }

    #[test]
    fn a_helper_that_panics_is_heard_of() {
        let hands = Hands::new(2);
        let (panicked, helped) = std::thread::scope(|scope| {
            let helper = scope.spawn(|| while !hands.lend() {});
            let own = std::thread::current().id();
            let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                hands.share(&|| {
                    assert_eq!(std::thread::current().id(), own, "on purpose");
                    while !hands.failed.load(Ordering::Relaxed) {
                        std::thread::yield_now();
                    }
                    true
                });
            }));
            (panicked, helper.join())
        });
        assert!(panicked.is_err() && helped.is_err());
    }

    #[test]
    fn work_that_panics_is_over_for_all() {
        let hands = Hands::new(2);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            hands.share(&|| panic!("on purpose"));
        }));
        assert!(panicked.is_err());
        assert!(!hands.lend());
    }
}
