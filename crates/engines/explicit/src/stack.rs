//! The stack of a depth-first search: references to states, not states, and no limit to its depth.
//!
//! The states that wait to be visited lie one behind the other; the last one is next. A frame is a state on the current
//! path and remembers where its waiting successors begin.

/// See above.
pub struct Stack {
    /// Words of an entry.
    width: usize,
    waiting: Vec<u64>,
    /// How many steps lead to each waiting state; 255 means: see `long`.
    lengths: Vec<u8>,
    /// Positions of waiting states that more steps lead to, and how many.
    long: Vec<(u32, u32)>,
    /// The states of the current path.
    path: Vec<u64>,
    frames: Vec<Frame>,
    /// No frame below this one has waiting states that could be handed over.
    lowest: usize,
}

struct Frame {
    /// The number of waiting states below this frame's.
    first: u32,
    /// The lowest frame is no state: its depth is one less than that of what waits in it, even if that is -1.
    depth: u32,
}

/// A waiting state.
pub struct Waiting {
    pub depth: u64,
}

/// Some waiting states of a frame, handed over.
pub struct Handover {
    /// How many states of the path lead to them.
    pub path: usize,
    pub entries: Vec<u64>,
    pub depths: Vec<u64>,
}

/// Marks an entry that was handed over.
const TAKEN: u8 = 0;

impl Stack {
    pub fn new(width: usize) -> Stack {
        Stack {
            width,
            waiting: Vec::new(),
            lengths: Vec::new(),
            long: Vec::new(),
            path: Vec::new(),
            frames: Vec::new(),
            lowest: 0,
        }
    }

    /// Starts with these states, `depths` away from the initial one.
    pub fn start(&mut self, entries: &[u64], depths: &[u64]) {
        let least = depths.iter().min().copied().unwrap_or(0);
        let lengths: Vec<u32> = depths.iter().map(|depth| (depth - least) as u32 + 1).collect();
        self.frames.push(Frame { first: self.lengths.len() as u32, depth: (least as u32).wrapping_sub(1) });
        self.add(entries, &lengths);
    }

    /// Goes one level deeper: `successors`, the first one first, wait for their turn.
    pub fn push(&mut self, entry: &[u64], depth: u64, successors: &[u64], lengths: &[u32]) {
        self.frames.push(Frame { first: self.lengths.len() as u32, depth: depth as u32 });
        self.path.extend_from_slice(entry);
        self.add(successors, lengths);
    }

    fn add(&mut self, successors: &[u64], lengths: &[u32]) {
        for (successor, length) in successors.chunks_exact(self.width).zip(lengths).rev() {
            let short = match u8::try_from(*length) {
                Ok(short @ 1..=254) => short,
                _ => {
                    self.long.push((self.lengths.len() as u32, *length));
                    255
                }
            };
            self.lengths.push(short);
            successor.iter().for_each(|word| self.waiting.push(*word));
        }
    }

    /// The next state to visit, copied into `entry`; none when all is done.
    pub fn pop(&mut self, entry: &mut Vec<u64>) -> Option<Waiting> {
        loop {
            let frame = self.frames.last()?;
            if self.lengths.len() == frame.first as usize {
                self.frames.pop();
                self.lowest = self.lowest.min(self.frames.len());
                self.path.truncate(self.path.len().saturating_sub(self.width));
                continue;
            }
            let start = self.waiting.len() - self.width;
            let short = self.lengths.pop()?;
            let depth = frame.depth;
            if short == TAKEN {
                self.waiting.truncate(start);
                continue;
            }
            entry.clear();
            // Mostly one word: a loop is quicker than a copy.
            self.waiting[start..].iter().for_each(|word| entry.push(*word));
            self.waiting.truncate(start);
            let length =
                if short == 255 { self.long.pop().map_or(1, |(_, length)| length) } else { short as u32 };
            return Some(Waiting { depth: depth.wrapping_add(length) as u64 });
        }
    }

    /// The states on the path to the one visited last, the oldest first.
    pub fn path(&self) -> &[u64] {
        &self.path
    }

    /// Takes the waiting states of the lowest frame that has some out of the stack. None if there are too few.
    pub fn hand_over(&mut self) -> Option<Handover> {
        while self.lowest < self.frames.len() {
            let frame = &self.frames[self.lowest];
            let (first, depth) = (frame.first as usize, frame.depth);
            let end = self.frames.get(self.lowest + 1).map_or(self.lengths.len(), |next| next.first as usize);
            let is_top = self.lowest + 1 == self.frames.len();
            // Half of what waits in the topmost frame, the next ones, stay here.
            let kept = if is_top { (end - first).div_ceil(2) } else { 0 };
            let mut handover = Handover { path: self.lowest, entries: Vec::new(), depths: Vec::new() };
            for at in first..end - kept {
                if matches!(self.lengths[at], TAKEN | 255) {
                    continue;
                }
                handover.entries.extend_from_slice(&self.waiting[at * self.width..(at + 1) * self.width]);
                handover.depths.push(depth.wrapping_add(self.lengths[at] as u32) as u64);
                self.lengths[at] = TAKEN;
            }
            if !handover.depths.is_empty() {
                return Some(handover);
            }
            if is_top {
                return None;
            }
            self.lowest += 1;
        }
        None
    }

    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn bytes(&self) -> u64 {
        (self.waiting.len() * 8
            + self.lengths.len()
            + self.long.len() * 8
            + self.path.len() * 8
            + self.frames.len() * size_of::<Frame>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pop(stack: &mut Stack) -> Option<(Vec<u64>, u64)> {
        let mut entry = Vec::new();
        stack.pop(&mut entry).map(|waiting| (entry, waiting.depth))
    }

    #[test]
    fn depth_first_order_with_depths_and_path() {
        let mut stack = Stack::new(1);
        stack.start(&[10], &[0]);
        assert_eq!(pop(&mut stack), Some((vec![10], 0)));
        stack.push(&[10], 0, &[11, 12, 13], &[1, 300, 2]);
        assert_eq!(pop(&mut stack), Some((vec![11], 1)));
        stack.push(&[11], 1, &[21], &[255]);
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
        stack.push(&[1, 1], 0, &[2, 2, 3, 3, 4, 4], &[1, 1, 2]);
        assert_eq!(pop(&mut stack), Some((vec![2, 2], 1)));
        stack.push(&[2, 2], 1, &[5, 5, 6, 6, 7, 7], &[1, 1, 1]);
        let lowest = stack.hand_over().expect("waiting states of the lowest frame");
        assert_eq!((lowest.path, lowest.entries, lowest.depths), (1, vec![4, 4, 3, 3], vec![2, 1]));
        let topmost = stack.hand_over().expect("some of the topmost frame");
        assert_eq!((topmost.path, topmost.entries), (2, vec![7, 7]));
        assert_eq!(pop(&mut stack), Some((vec![5, 5], 2)));
        assert_eq!(pop(&mut stack), Some((vec![6, 6], 2)));
        assert_eq!(pop(&mut stack), None);

        let mut other = Stack::new(2);
        other.start(&[4, 4, 3, 3], &[2, 1]);
        assert_eq!(pop(&mut other), Some((vec![4, 4], 2)));
        assert_eq!(pop(&mut other), Some((vec![3, 3], 1)));
        assert_eq!(pop(&mut other), None);
    }
}
