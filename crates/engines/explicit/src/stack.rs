//! The stack of a depth-first search: references to states, not states.
//!
//! The states that wait to be visited lie one behind the other; the last one is next. A frame is a state on the current
//! path and remembers where its waiting successors begin.

use crate::forest::{Forest, ROOT, Reached};
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
    /// The frames below the topmost one; the lowest of all holds nothing.
    frames: Vec<Frame>,
    top: Frame,
}

#[derive(Clone, Copy)]
struct Frame {
    /// Where its waiting states begin.
    first: u64,
    /// The frame of the initial state is no state itself: its depth is -1.
    depth: u32,
}

impl Stack {
    pub fn new(width: usize) -> Stack {
        Stack {
            width,
            waiting: Vec::new(),
            long: Vec::new(),
            path: Vec::new(),
            frames: Vec::new(),
            top: Frame { first: 0, depth: 0 },
        }
    }

    /// Starts with the initial state.
    pub fn start(&mut self, entry: &[u64]) {
        self.enter(entry, u32::MAX, [1]);
    }

    /// Goes one level deeper: `successors`, the first one first, wait for their turn; so many steps lead to each.
    #[inline(always)]
    pub fn push(
        &mut self,
        entry: &[u64],
        depth: u64,
        successors: &[u64],
        lengths: impl IntoIterator<Item = u32>,
    ) {
        match entry {
            [word] => self.path.push(*word),
            _ => self.path.extend_from_slice(entry),
        }
        self.enter(successors, depth as u32, lengths);
    }

    #[inline(always)]
    fn enter(&mut self, successors: &[u64], depth: u32, lengths: impl IntoIterator<Item = u32>) {
        self.frames.push(self.top);
        self.top = Frame { first: self.waiting.len() as u64, depth };
        if self.width == 1 {
            self.waiting.extend(successors.iter().rev());
        } else {
            successors.chunks_exact(self.width).rev().for_each(|entry| self.waiting.extend_from_slice(entry));
        }
        let n_long = self.long.len();
        for (number, length) in lengths.into_iter().enumerate() {
            if length != 1 {
                let at = self.waiting.len() - (number + 1) * self.width;
                self.long.push((at as u64, length));
            }
        }
        self.long[n_long..].reverse();
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
        self.top = self.frames.pop()?;
        self.path.truncate(self.path.len().saturating_sub(self.width));
        Some(())
    }

    /// The states on the path to the one visited last, the oldest first.
    pub fn path(&self) -> &[u64] {
        &self.path
    }

    /// Moves everything into a forest; what waits only if it is still wanted.
    pub fn move_into(&mut self, forest: &mut Forest, mut is_wanted: impl FnMut(&[u64], u64) -> bool) {
        let Stack { width, waiting, long, path, frames, top } =
            std::mem::replace(self, Stack::new(self.width));
        let mut long = long.into_iter().peekable();
        let mut frames = frames.into_iter().skip(1).chain([top]).peekable();
        let mut path = path.chunks_exact(width);
        let mut node = ROOT;
        while let Some(frame) = frames.next() {
            let end = frames.peek().map_or(waiting.len(), |next| next.first as usize);
            for at in (frame.first as usize..end).step_by(width) {
                let length = long.next_if(|(other, _)| *other == at as u64).map_or(1, |(_, length)| length);
                let depth = frame.depth.wrapping_add(length);
                let entry = &waiting[at..at + width];
                if is_wanted(entry, depth as u64) {
                    forest.push(entry, Reached { parent: node, depth });
                }
            }
            if frames.peek().is_some()
                && let Some(entry) = path.next()
            {
                forest.add_child(node);
                node = forest.enter(entry, node, 0);
            }
        }
        // The last one has children, or goes again.
        forest.add_child(node);
        forest.leave(node);
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
        stack.start(&[10]);
        assert_eq!(pop(&mut stack), Some((vec![10], 0)));
        stack.push(&[10], 0, &[11, 12, 13], [1, 300, 2]);
        assert_eq!(pop(&mut stack), Some((vec![11], 1)));
        stack.push(&[11], 1, &[21], [255]);
        assert_eq!(stack.path(), [10, 11]);
        assert_eq!(pop(&mut stack), Some((vec![21], 256)));
        assert_eq!(pop(&mut stack), Some((vec![12], 300)));
        assert_eq!(stack.path(), [10]);
        assert_eq!(pop(&mut stack), Some((vec![13], 2)));
        assert_eq!(pop(&mut stack), None);
        assert!(stack.is_empty());
    }

    #[test]
    fn everything_moves_with_its_path() {
        let mut stack = Stack::new(2);
        stack.start(&[1, 1]);
        pop(&mut stack);
        stack.push(&[1, 1], 0, &[2, 2, 3, 3, 4, 5], [1, 1, 2]);
        assert_eq!(pop(&mut stack), Some((vec![2, 2], 1)));
        stack.push(&[2, 2], 1, &[5, 5, 6, 6], [1, 5]);
        let mut forest = Forest::new(2);
        stack.move_into(&mut forest, |entry, _| entry != [5, 5]);
        assert!(stack.is_empty());
        let (mut entries, mut reached) = (Vec::new(), Vec::new());
        forest.pop(9, &mut entries, &mut reached);
        assert_eq!(entries, [4, 5, 3, 3, 6, 6]);
        assert_eq!(reached.iter().map(|one| one.depth).collect::<Vec<_>>(), [2, 1, 6]);
        let paths: Vec<_> = reached.iter().map(|one| forest.path(one.parent)).collect();
        assert_eq!(paths, [vec![1, 1], vec![1, 1], vec![1, 1, 2, 2]]);
    }
}
