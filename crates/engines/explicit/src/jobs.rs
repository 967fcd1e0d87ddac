//! Work that threads leave to each other.
//!
//! A thread that runs out of states takes some of another one. To ask for them and to wait takes longer than many a job, so one
//! is kept ready: whoever sees that there is none leaves half of the states that wait to whom it may concern.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::forest::Handover;

/// How often a thread that waits looks whether it need not before it goes to sleep: about a tenth of a millisecond.
pub const SPINS: u32 = 2_000;
/// How long it sleeps, at most.
const PAUSE: Duration = Duration::from_millis(20);

/// The jobs that nobody has begun.
pub struct Jobs {
    n_threads: AtomicUsize,
    list: Mutex<List>,
    wake: Condvar,
    /// There are fewer than there should be.
    wanted: AtomicBool,
    /// How often there was something new.
    news: AtomicUsize,
}

#[derive(Default)]
struct List {
    ready: Vec<Handover>,
    /// How many threads have nothing to do.
    n_idle: usize,
    /// There is nothing left for anybody, or nobody is to do any more.
    over: bool,
}

impl Jobs {
    pub fn new(n_threads: usize) -> Jobs {
        let (list, wake) = Default::default();
        let n_threads = AtomicUsize::new(n_threads);
        Jobs { n_threads, list, wake, wanted: AtomicBool::new(true), news: AtomicUsize::new(0) }
    }

    /// Fewer threads could be started than there should be. Those that wait already see it soon.
    pub fn set_threads(&self, n_threads: usize) {
        self.n_threads.store(n_threads, Ordering::Relaxed);
    }

    /// Waits for a job. None when there is nothing left for anybody.
    pub fn next(&self) -> Option<Handover> {
        let mut list = self.lock();
        list.n_idle += 1;
        let mut has_spun = false;
        loop {
            if list.over {
                return None;
            }
            if let Some(job) = list.ready.pop() {
                list.n_idle -= 1;
                self.note(&list);
                return Some(job);
            }
            if list.n_idle >= self.n_threads.load(Ordering::Relaxed) {
                list.over = true;
                self.tell();
                return None;
            }
            self.note(&list);
            if has_spun {
                list = self.wake.wait_timeout(list, PAUSE).unwrap_or_else(PoisonError::into_inner).0;
            } else {
                let news = self.news.load(Ordering::Relaxed);
                drop(list);
                self.spin(news);
                has_spun = true;
                list = self.lock();
            }
        }
    }

    /// Whether a thread that has something to do should leave a part of it to others. Cheap.
    #[inline(always)]
    pub fn are_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }

    /// Leaves a job to others, unless another thread was quicker. The job is told whether somebody waits for it.
    pub fn offer(&self, job: impl FnOnce(bool) -> Option<Handover>) {
        let mut list = self.lock();
        if list.ready.len() > list.n_idle {
            return;
        }
        if let Some(job) = job(list.ready.len() < list.n_idle) {
            list.ready.push(job);
            self.note(&list);
            if list.n_idle > 0 {
                self.tell();
            }
        }
    }

    /// Nobody waits any longer.
    pub fn end(&self) {
        self.lock().over = true;
        self.tell();
    }

    /// One is to be ready for each that has nothing to do, and one for the next.
    fn note(&self, list: &List) {
        self.wanted.store(list.ready.len() <= list.n_idle, Ordering::Relaxed);
    }

    fn tell(&self) {
        self.news.fetch_add(1, Ordering::Relaxed);
        self.wake.notify_all();
    }

    /// Waits for something new, but not for long: to be woken up takes longer than most jobs.
    fn spin(&self, news: usize) {
        for _ in 0..SPINS {
            if self.news.load(Ordering::Relaxed) != news {
                return;
            }
            std::hint::spin_loop();
        }
    }

    fn lock(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forest::{Forest, ROOT, Reached};

    /// Takes one state after the other; each below `n` leads to two others.
    fn work(jobs: &Jobs, forest: &mut Forest, n: u64) -> Vec<u64> {
        let (mut done, mut entries, mut reached) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            entries.clear();
            reached.clear();
            forest.pop(1, &mut entries, &mut reached);
            let Some(state) = entries.first().copied() else {
                match jobs.next() {
                    Some(job) => forest.take_over(job),
                    None => return done,
                }
                continue;
            };
            done.push(state);
            for next in [2 * state, 2 * state + 1].into_iter().filter(|next| *next < n) {
                forest.push(&[next], Reached { parent: ROOT, depth: 0 });
            }
            if jobs.are_wanted() {
                jobs.offer(|_| forest.hand_over());
            }
        }
    }

    #[test]
    fn everything_is_done_once_and_all_come_to_an_end() {
        let n = if cfg!(miri) { 200 } else { 20_000 };
        for n_threads in 1..=4 {
            let jobs = Jobs::new(n_threads);
            let mut done: Vec<u64> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..n_threads)
                    .map(|number| {
                        let jobs = &jobs;
                        scope.spawn(move || {
                            let mut forest = Forest::new(1);
                            if number == 0 {
                                forest.push(&[1], Reached { parent: ROOT, depth: 0 });
                            }
                            work(jobs, &mut forest, n)
                        })
                    })
                    .collect();
                threads.into_iter().flat_map(|thread| thread.join().expect("it ends")).collect()
            });
            done.sort();
            assert_eq!(done, (1..n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn nobody_waits_for_a_search_that_was_stopped() {
        let jobs = Jobs::new(2);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| jobs.next().is_none());
            jobs.end();
            assert!(waiting.join().expect("it ends"));
        });
    }

    #[test]
    fn s6_threads_that_were_not_started_are_not_waited_for() {
        let jobs = Jobs::new(1000);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| jobs.next().is_none());
            jobs.set_threads(1);
            assert!(waiting.join().expect("it ends"));
        });
    }

    #[test]
    fn one_job_is_kept_ready() {
        let jobs = Jobs::new(2);
        let mut forest = Forest::new(1);
        (0..8).for_each(|state| forest.push(&[state], Reached { parent: ROOT, depth: 0 }));
        assert!(jobs.are_wanted());
        jobs.offer(|is_waited_for| {
            assert!(!is_waited_for);
            forest.hand_over()
        });
        assert!(!jobs.are_wanted());
        jobs.offer(|_| panic!("there is one"));
        assert_eq!(jobs.next().map(|job| job.size()), Some(4));
        assert!(jobs.are_wanted());
    }
}
