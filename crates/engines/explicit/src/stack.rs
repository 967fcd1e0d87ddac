//! The stack of a depth-first search: references to states, not states, and no limit to its depth.
//!
//! The states that wait to be visited lie one behind the other; the last one is next. A frame is a state on the current
//! path and remembers where its waiting successors begin.

use crate::keeper::Key;

/// See above.
pub struct Stack {
    /// Words of an entry.
    width: usize,
    waiting: Vec<u64>,
    /// Waiting states that more than one step leads to: where they are, and how many steps; the next one last.
    long: Vec<(u64, u32)>,
    /// The states of the current path.
    path: Vec<u64>,
    /// The frames below the topmost one.
    frames: Vec<Frame>,
    top: Frame,
    /// No frame below this one has waiting states that could be handed over.
    lowest: usize,
}

#[derive(Clone, Copy)]
struct Frame {
    /// Where its waiting states begin; those that were handed over to others do not count.
    first: u64,
    /// The lowest frame is no state: its depth is one less than that of what waits in it, even if that is -1.
    depth: u32,
    /// How many were handed over.
    n_given: u32,
}

/// Some waiting states of a frame, handed over.
pub struct Handover {
    /// How many states of the path lead to them.
    pub path: usize,
    /// Where they were, compared with [`Stack::n_waiting`].
    pub start: usize,
    pub entries: Vec<u64>,
    pub depths: Vec<u64>,
}

impl Stack {
    pub fn new(width: usize) -> Stack {
        Stack {
            width,
            waiting: Vec::new(),
            long: Vec::new(),
            path: Vec::new(),
            frames: Vec::new(),
            top: Frame { first: 0, depth: 0, n_given: 0 },
            lowest: 1,
        }
    }

    /// Starts with these states, `depths` away from the initial one.
    pub fn start(&mut self, entries: &[u64], depths: &[u64]) {
        let least = depths.iter().min().copied().unwrap_or(0);
        let long = depths.iter().enumerate().filter(|(_, depth)| **depth > least);
        let long: Vec<(u32, u32)> =
            long.map(|(number, depth)| (number as u32, (depth - least) as u32 + 1)).collect();
        self.enter(entries, (least as u32).wrapping_sub(1), &long);
    }

    /// Goes one level deeper: `successors`, the first one first, wait for their turn. `long` has the numbers of those that
    /// more than one step leads to, and how many.
    #[inline(always)]
    pub fn push(&mut self, entry: &[u64], depth: u64, successors: &[u64], long: &[(u32, u32)]) {
        match entry {
            [word] => self.path.push(*word),
            _ => self.path.extend_from_slice(entry),
        }
        self.enter(successors, depth as u32, long);
    }

    #[inline(always)]
    fn enter(&mut self, successors: &[u64], depth: u32, long: &[(u32, u32)]) {
        self.frames.push(self.top);
        self.top = Frame { first: self.waiting.len() as u64, depth, n_given: 0 };
        if self.width == 1 {
            self.waiting.extend(successors.iter().rev());
        } else {
            successors.chunks_exact(self.width).rev().for_each(|entry| self.waiting.extend_from_slice(entry));
        }
        for (number, length) in long.iter().rev() {
            let at = self.waiting.len() - (*number as usize + 1) * self.width;
            self.long.push((at as u64, *length));
        }
    }

    /// The next state to visit, copied into `key`, and its depth; none when all is done.
    #[inline(always)]
    pub fn pop(&mut self, key: &mut impl Key) -> Option<u64> {
        while self.waiting.len() as u64 == self.top.first {
            self.leave()?;
        }
        key.pop(&mut self.waiting);
        let mut length = 1;
        if let Some((at, steps)) = self.long.last()
            && *at == self.waiting.len() as u64
        {
            length = *steps;
            self.long.pop();
        }
        Some(self.top.depth.wrapping_add(length) as u64)
    }

    /// Leaves the topmost frame, in which nothing waits. None if it is the last.
    fn leave(&mut self) -> Option<()> {
        let below = self.frames.len().checked_sub(1)?;
        self.waiting.truncate(self.top.first as usize - self.top.n_given as usize * self.width);
        self.top = self.frames[below];
        self.frames.truncate(below);
        self.lowest = self.lowest.min(below.max(1));
        self.path.truncate(self.path.len().saturating_sub(self.width));
        Some(())
    }

    /// The states on the path to the one visited last, the oldest first.
    pub fn path(&self) -> &[u64] {
        &self.path
    }

    /// Takes the waiting states of the lowest frame that has some out of the stack. None if there are too few.
    pub fn hand_over(&mut self) -> Option<Handover> {
        // The topmost frame has the number of those below; number 0 holds nothing.
        while self.lowest <= self.frames.len() {
            let is_top = self.lowest == self.frames.len();
            let end = match self.frames.get(self.lowest + 1) {
                Some(next) => next.first as usize - next.n_given as usize * self.width,
                None if is_top => self.waiting.len(),
                None => self.top.first as usize - self.top.n_given as usize * self.width,
            };
            let (width, path) = (self.width, self.lowest - 1);
            let frame = if is_top { &mut self.top } else { &mut self.frames[self.lowest] };
            let first = frame.first as usize;
            let n = (end - first) / width;
            // Half of what waits in the topmost frame, the next ones, stay here.
            let given = if is_top { n / 2 } else { n };
            if given > 0 {
                let end = first + given * width;
                frame.first = end as u64;
                frame.n_given += given as u32;
                let depth = frame.depth;
                let entries = self.waiting[first..end].to_vec();
                let mut depths = vec![depth.wrapping_add(1) as u64; given];
                self.long.retain(|(at, length)| {
                    let is_given = (first..end).contains(&(*at as usize));
                    if is_given {
                        depths[(*at as usize - first) / width] = depth.wrapping_add(*length) as u64;
                    }
                    !is_given
                });
                return Some(Handover { path, start: first, entries, depths });
            }
            if is_top {
                return None;
            }
            self.lowest += 1;
        }
        None
    }

    /// Words of the states that wait.
    #[inline(always)]
    pub fn n_waiting(&self) -> usize {
        self.waiting.len()
    }

    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn bytes(&self) -> u64 {
        (self.waiting.len() * 8
            + self.long.len() * size_of::<(u64, u32)>()
            + self.path.len() * 8
            + self.frames.len() * size_of::<Frame>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pop(stack: &mut Stack) -> Option<(Vec<u64>, u64)> {
        let mut entry = vec![0; stack.width()];
        stack.pop(&mut entry).map(|depth| (entry, depth))
    }

    #[test]
    fn depth_first_order_with_depths_and_path() {
        let mut stack = Stack::new(1);
        stack.start(&[10], &[0]);
        assert_eq!(pop(&mut stack), Some((vec![10], 0)));
        stack.push(&[10], 0, &[11, 12, 13], &[(1, 300), (2, 2)]);
        assert_eq!(pop(&mut stack), Some((vec![11], 1)));
        stack.push(&[11], 1, &[21], &[(0, 255)]);
        assert_eq!(stack.path(), [10, 11]);
        assert_eq!(pop(&mut stack), Some((vec![21], 256)));
        assert_eq!(pop(&mut stack), Some((vec![12], 300)));
        assert_eq!(stack.path(), [10]);
        assert_eq!(pop(&mut stack), Some((vec![13], 2)));
        assert_eq!(pop(&mut stack), None);
        assert!(stack.is_empty());
    }

    #[test]
    fn what_is_handed_over_is_visited_once() {
        let mut stack = Stack::new(2);
        stack.start(&[1, 1], &[0]);
        pop(&mut stack);
        stack.push(&[1, 1], 0, &[2, 2, 3, 3, 4, 5], &[(2, 2)]);
        assert_eq!(pop(&mut stack), Some((vec![2, 2], 1)));
        stack.push(&[2, 2], 1, &[5, 5, 6, 6, 7, 7], &[]);
        let lowest = stack.hand_over().expect("waiting states of the lowest frame");
        assert_eq!((lowest.path, lowest.entries, lowest.depths), (1, vec![4, 5, 3, 3], vec![2, 1]));
        let topmost = stack.hand_over().expect("some of the topmost frame");
        assert_eq!((topmost.path, topmost.entries), (2, vec![7, 7]));
        assert_eq!(pop(&mut stack), Some((vec![5, 5], 2)));
        stack.push(&[5, 5], 2, &[8, 8], &[]);
        assert_eq!(stack.path(), [1, 1, 2, 2, 5, 5]);
        assert_eq!(pop(&mut stack), Some((vec![8, 8], 3)));
        assert_eq!(pop(&mut stack), Some((vec![6, 6], 2)));
        assert_eq!(pop(&mut stack), None);

        let mut other = Stack::new(2);
        other.start(&[4, 5, 3, 3], &[2, 1]);
        assert_eq!(pop(&mut other), Some((vec![4, 5], 2)));
        assert_eq!(pop(&mut other), Some((vec![3, 3], 1)));
        assert_eq!(pop(&mut other), None);
    }
}
