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

/// Some waiting states, handed over, with the frames they are in.
pub struct Handover {
    /// How many states of the path lead to those of the first frame.
    pub path: usize,
    pub frames: Vec<HandedFrame>,
}

/// A frame of which waiting states are handed over, perhaps none.
pub struct HandedFrame {
    /// Where the states were, compared with [`Stack::n_waiting`].
    pub start: usize,
    /// The state on the path, not for the first one.
    pub entry: Vec<u64>,
    pub depth: u64,
    /// What waits, the first one first, and the depth of each.
    pub waiting: Vec<u64>,
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
        while self.long.last().is_some_and(|(at, _)| *at >= self.waiting.len() as u64) {
            // It was handed over.
            self.long.pop();
        }
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

    /// Takes half of the waiting states out of the stack, the lowest ones. None if there are too few.
    pub fn hand_over(&mut self) -> Option<Handover> {
        let n_frames = self.frames.len() + 1;
        // Frame 0 holds nothing.
        let lowest = (self.lowest..n_frames).find(|number| self.n_waiting_in(*number) > 0)?;
        self.lowest = lowest;
        let n_waiting = (self.waiting.len() - self.frame(lowest).first as usize) / self.width;
        let mut left = n_waiting / 2;
        if left == 0 {
            return None;
        }
        let mut handover = Handover { path: lowest - 1, frames: Vec::new() };
        for number in lowest..n_frames {
            if left == 0 {
                break;
            }
            let n_given = self.n_waiting_in(number).min(left);
            left -= n_given;
            handover.frames.push(self.hand_over_from(number, n_given, number > lowest));
        }
        Some(handover)
    }

    fn hand_over_from(&mut self, number: usize, n_given: usize, with_entry: bool) -> HandedFrame {
        let width = self.width;
        let frame = self.frame(number);
        let (first, depth) = (frame.first as usize, frame.depth);
        let end = first + n_given * width;
        // The next one is the last one here.
        let waiting = self.waiting[first..end].chunks_exact(width).rev().flatten().copied().collect();
        let mut depths = vec![depth.wrapping_add(1) as u64; n_given];
        // The lowest come first.
        let long = self.long.partition_point(|(at, _)| (*at as usize) < first);
        for (at, length) in self.long[long..].iter().take_while(|(at, _)| (*at as usize) < end) {
            depths[n_given - 1 - (*at as usize - first) / width] = depth.wrapping_add(*length) as u64;
        }
        let entry = match with_entry {
            true => self.path[(number - 2) * width..(number - 1) * width].to_vec(),
            false => Vec::new(),
        };
        let frame = if number == self.frames.len() { &mut self.top } else { &mut self.frames[number] };
        frame.first = end as u64;
        frame.n_given += n_given as u32;
        HandedFrame { start: first, entry, depth: depth as u64, waiting, depths }
    }

    fn frame(&self, number: usize) -> &Frame {
        self.frames.get(number).unwrap_or(&self.top)
    }

    /// How many states wait in a frame.
    fn n_waiting_in(&self, number: usize) -> usize {
        let end = match number == self.frames.len() {
            true => self.waiting.len(),
            false => {
                let next = self.frame(number + 1);
                next.first as usize - next.n_given as usize * self.width
            }
        };
        (end - self.frame(number).first as usize) / self.width
    }

    /// Goes on with what was handed over.
    pub fn take_over(&mut self, frames: &[HandedFrame]) {
        for (number, frame) in frames.iter().enumerate() {
            if number == 0 {
                self.start(&frame.waiting, &frame.depths);
                continue;
            }
            let lengths = frame.depths.iter().map(|depth| (depth - frame.depth) as u32);
            let long = lengths.enumerate().filter(|(_, length)| *length != 1);
            let long: Vec<(u32, u32)> = long.map(|(number, length)| (number as u32, length)).collect();
            self.push(&frame.entry, frame.depth, &frame.waiting, &long);
        }
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
        stack.push(&[2, 2], 1, &[5, 5, 6, 6, 7, 7, 8, 8], &[(3, 5)]);
        let given = stack.hand_over().expect("half of six");
        assert_eq!((given.path, given.frames.len()), (1, 2));
        assert_eq!(given.frames.iter().map(|frame| frame.start).collect::<Vec<_>>(), [0, 4]);
        assert_eq!(
            (&given.frames[0].waiting[..], &given.frames[0].depths[..]),
            (&[3, 3, 4, 5][..], &[1, 2][..])
        );
        assert_eq!((&given.frames[1].waiting[..], &given.frames[1].depths[..]), (&[8, 8][..], &[6][..]));
        assert_eq!(pop(&mut stack), Some((vec![5, 5], 2)));
        stack.push(&[5, 5], 2, &[9, 9], &[]);
        assert_eq!(stack.path(), [1, 1, 2, 2, 5, 5]);
        let again = stack.hand_over().expect("one of three");
        assert_eq!((again.path, again.frames[0].waiting.clone()), (2, vec![7, 7]));
        assert_eq!(pop(&mut stack), Some((vec![9, 9], 3)));
        assert_eq!(pop(&mut stack), Some((vec![6, 6], 2)));
        assert!(stack.hand_over().is_none());
        assert_eq!(pop(&mut stack), None);

        let mut other = Stack::new(2);
        other.take_over(&given.frames);
        assert_eq!(pop(&mut other), Some((vec![8, 8], 6)));
        assert_eq!(other.path(), [2, 2]);
        assert_eq!(pop(&mut other), Some((vec![3, 3], 1)));
        assert_eq!(pop(&mut other), Some((vec![4, 5], 2)));
        assert_eq!(pop(&mut other), None);
    }
}
