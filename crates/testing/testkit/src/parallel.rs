//! Work on many seeds at once.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use anyhow::{Result, bail};

use crate::spin::Scratch;

/// Reads `A..B`.
pub fn seed_range(text: &str) -> Result<Range<u64>, String> {
    let parse = |number: &str| number.parse().map_err(|_| format!("`{number}` is not a seed"));
    let (start, end) = text.split_once("..").ok_or("expected A..B")?;
    Ok(parse(start)?..parse(end)?)
}

/// Does `work` for all items on several threads and hands the results to `finish` in the order of the items.
pub fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T, &Path) -> Result<R> + Sync,
    mut finish: impl FnMut(&T, R),
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for worker in 0..jobs.max(1) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || -> Result<()> {
                let scratch = Scratch::new(worker)?;
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(number) else { return Ok(()) };
                    // The receiver is gone only if an earlier item failed.
                    if sender.send((number, work(item, scratch.path()))).is_err() {
                        return Ok(());
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut expected = 0;
        for (number, result) in receiver {
            waiting.insert(number, result?);
            while let Some(result) = waiting.remove(&expected) {
                finish(&items[expected], result);
                expected += 1;
            }
        }
        if expected < items.len() {
            bail!("the workers could not start");
        }
        Ok(())
    })
}
