//! The states that wait for their turn, and how each was reached.
//!
//! A search that expands several states at a time has no single path to them. So every state that was expanded and has
//! successors waiting, or further on, is a node that knows the one it was reached from. A node goes when nothing is left
//! that was reached through it: what remains are the paths to the waiting states.

use rustc_hash::FxHashMap;

/// See above.
pub struct Forest {
    /// Words of an entry.
    width: usize,
    waiting: Vec<u64>,
    /// For each of those.
    reached: Vec<Reached>,
    entries: Vec<u64>,
    nodes: Vec<Node>,
    /// The first of the nodes that are not in use; their `parent` is the next one.
    free: u32,
}

/// How a state was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reached {
    /// The node of the state before it; [`ROOT`] for the initial one.
    pub parent: u32,
    pub depth: u32,
}

/// No node.
pub const ROOT: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Node {
    parent: u32,
    /// How many nodes, waiting states, and states that are being expanded were reached from it.
    n_children: u32,
}

/// Waiting states, handed over, with the paths to them.
pub struct Handover {
    waiting: Vec<u64>,
    reached: Vec<Reached>,
    entries: Vec<u64>,
    parents: Vec<u32>,
}

impl Handover {
    /// How much it is, in states.
    pub fn size(&self) -> usize {
        self.reached.len() + self.parents.len()
    }
}

impl Forest {
    pub fn new(width: usize) -> Forest {
        let (waiting, reached, entries, nodes) = Default::default();
        Forest { width, waiting, reached, entries, nodes, free: ROOT }
    }

    /// Adds a waiting state.
    #[inline(always)]
    pub fn push(&mut self, entry: &[u64], reached: Reached) {
        match entry {
            [word] => self.waiting.push(*word),
            _ => self.waiting.extend_from_slice(entry),
        }
        self.reached.push(reached);
        if let Some(node) = self.nodes.get_mut(reached.parent as usize) {
            node.n_children += 1;
        }
    }

    /// Adds some of the states with these entries, by their numbers. The nodes they were reached from know how many they are.
    #[inline(always)]
    pub fn push_all(
        &mut self,
        entries: &[u64],
        numbers: &[u32],
        reached: impl ExactSizeIterator<Item = Reached>,
    ) {
        debug_assert_eq!(numbers.len(), reached.len());
        match self.width {
            1 => self.waiting.extend(numbers.iter().map(|number| entries[*number as usize])),
            width => {
                for number in numbers {
                    self.waiting.extend_from_slice(&entries[*number as usize * width..][..width]);
                }
            }
        }
        self.reached.extend(reached);
    }

    /// Takes out up to so many waiting states, the last ones. It has to be said of each what became of it: see
    /// [`Forest::enter`] and [`Forest::leave`].
    pub fn pop(&mut self, most: usize, entries: &mut Vec<u64>, reached: &mut Vec<Reached>) {
        let left = self.reached.len().saturating_sub(most);
        entries.extend_from_slice(&self.waiting[left * self.width..]);
        reached.extend_from_slice(&self.reached[left..]);
        self.waiting.truncate(left * self.width);
        self.reached.truncate(left);
    }

    /// A state taken out was expanded, and so many others were reached from it.
    pub fn enter(&mut self, entry: &[u64], parent: u32, n_children: u32) -> u32 {
        let node = Node { parent, n_children };
        if self.free == ROOT {
            self.entries.extend_from_slice(entry);
            self.nodes.push(node);
            return self.nodes.len() as u32 - 1;
        }
        let number = self.free;
        self.free = self.nodes[number as usize].parent;
        self.nodes[number as usize] = node;
        match entry {
            [word] => self.entries[number as usize] = *word,
            _ => self.entries[number as usize * self.width..][..self.width].copy_from_slice(entry),
        }
        number
    }

    /// Nothing more will be reached from a state taken out, or a node, that was reached from this one.
    pub fn leave(&mut self, mut parent: u32) {
        while let Some(node) = self.nodes.get_mut(parent as usize) {
            node.n_children -= 1;
            if node.n_children > 0 {
                return;
            }
            let above = std::mem::replace(&mut node.parent, self.free);
            self.free = parent;
            parent = above;
        }
    }

    /// One more node was reached from this one.
    pub fn add_child(&mut self, parent: u32) {
        if let Some(node) = self.nodes.get_mut(parent as usize) {
            node.n_children += 1;
        }
    }

    /// The entries of the states on the path to a node and of its own, the initial one first.
    pub fn path(&self, mut node: u32) -> Vec<u64> {
        let mut path = Vec::new();
        while let Some(Node { parent, .. }) = self.nodes.get(node as usize) {
            path.push(&self.entries[node as usize * self.width..][..self.width]);
            node = *parent;
        }
        path.into_iter().rev().flatten().copied().collect()
    }

    /// Takes half of the waiting states out, those that wait longest, for another thread.
    pub fn hand_over(&mut self) -> Option<Handover> {
        let n_given = self.reached.len() / 2;
        if n_given == 0 {
            return None;
        }
        let waiting: Vec<u64> = self.waiting.drain(..n_given * self.width).collect();
        let mut reached: Vec<Reached> = self.reached.drain(..n_given).collect();
        let mut numbers = FxHashMap::default();
        let (mut entries, mut parents) = (Vec::new(), Vec::new());
        for one in &mut reached {
            let parent = one.parent;
            one.parent = self.copy(parent, &mut numbers, &mut entries, &mut parents);
            self.leave(parent);
        }
        Some(Handover { waiting, reached, entries, parents })
    }

    /// Copies a node and those above it that were not copied before. The number of its copy.
    fn copy(
        &self,
        mut node: u32,
        numbers: &mut FxHashMap<u32, u32>,
        entries: &mut Vec<u64>,
        parents: &mut Vec<u32>,
    ) -> u32 {
        let mut first = None;
        while let Some(Node { parent, .. }) = self.nodes.get(node as usize) {
            let number = parents.len() as u32;
            let known = numbers.get(&node).copied();
            if first.is_some()
                && let Some(last) = parents.last_mut()
            {
                // What was copied just now was reached from here.
                *last = known.unwrap_or(number);
            }
            first = first.or(known).or(Some(number));
            if known.is_some() {
                break;
            }
            numbers.insert(node, number);
            entries.extend_from_slice(&self.entries[node as usize * self.width..][..self.width]);
            parents.push(ROOT);
            node = *parent;
        }
        first.unwrap_or(ROOT)
    }

    /// Goes on with what was handed over. Nothing may be left here.
    pub fn take_over(&mut self, handover: Handover) {
        debug_assert!(self.is_empty());
        let Handover { waiting, reached, entries, parents } = handover;
        // Into the room that there is: to find as much anew would take longer than to copy.
        self.waiting.clone_from(&waiting);
        self.reached.clone_from(&reached);
        self.entries.clone_from(&entries);
        self.nodes.clear();
        self.nodes.extend(parents.iter().map(|parent| Node { parent: *parent, n_children: 0 }));
        self.free = ROOT;
        for parent in parents {
            self.add_child(parent);
        }
        for at in 0..self.reached.len() {
            self.add_child(self.reached[at].parent);
        }
    }

    /// Whether no state waits.
    pub fn is_empty(&self) -> bool {
        self.reached.is_empty()
    }

    /// How many states wait.
    pub fn n_waiting(&self) -> usize {
        self.reached.len()
    }

    /// Lets two waiting states change places.
    pub fn swap(&mut self, a: usize, b: usize) {
        self.reached.swap(a, b);
        for word in 0..self.width {
            self.waiting.swap(a * self.width + word, b * self.width + word);
        }
    }

    /// Whether there may soon be more nodes than can be numbered.
    pub fn is_full(&self) -> bool {
        self.nodes.len() as u64 > ROOT as u64 - (1 << 24)
    }

    pub fn bytes(&self) -> u64 {
        let n_words = self.waiting.len() + self.entries.len();
        let others = self.reached.len() * size_of::<Reached>() + self.nodes.len() * size_of::<Node>();
        (8 * n_words + others) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(parent: u32, depth: u32) -> Reached {
        Reached { parent, depth }
    }

    fn pop(forest: &mut Forest, most: usize) -> (Vec<u64>, Vec<Reached>) {
        let (mut entries, mut reached) = (Vec::new(), Vec::new());
        forest.pop(most, &mut entries, &mut reached);
        (entries, reached)
    }

    #[test]
    fn paths_stay_as_long_as_they_are_needed() {
        let mut forest = Forest::new(2);
        forest.push(&[1, 1], reached(ROOT, 0));
        assert_eq!(pop(&mut forest, 4), (vec![1, 1], vec![reached(ROOT, 0)]));
        let first = forest.enter(&[1, 1], ROOT, 0);
        forest.push(&[2, 2], reached(first, 1));
        forest.push(&[3, 3], reached(first, 1));
        forest.push(&[4, 4], reached(first, 1));
        let (entries, both) = pop(&mut forest, 2);
        assert_eq!(entries, [3, 3, 4, 4]);
        let third = forest.enter(&[3, 3], both[0].parent, 0);
        forest.push(&[5, 5], reached(third, 2));
        forest.leave(both[1].parent);
        assert_eq!(forest.path(third), [1, 1, 3, 3]);
        let (_, last) = pop(&mut forest, 1);
        forest.leave(last[0].parent);
        // The third state's node is free, the first one's is not.
        assert_eq!(forest.enter(&[9, 9], first, 0), third);
        assert_eq!(forest.path(third), [1, 1, 9, 9]);
        assert_eq!(pop(&mut forest, 9), (vec![2, 2], vec![reached(first, 1)]));
    }

    #[test]
    fn what_is_handed_over_has_its_paths() {
        let mut forest = Forest::new(1);
        forest.push(&[1], reached(ROOT, 0));
        pop(&mut forest, 1);
        let first = forest.enter(&[1], ROOT, 0);
        forest.push(&[2], reached(first, 1));
        forest.push(&[3], reached(first, 1));
        let (_, one) = pop(&mut forest, 1);
        let third = forest.enter(&[3], one[0].parent, 0);
        forest.push(&[4], reached(third, 2));
        forest.push(&[5], reached(third, 2));
        let (_, one) = pop(&mut forest, 1);
        let fifth = forest.enter(&[5], one[0].parent, 0);
        forest.push(&[6], reached(fifth, 3));
        forest.push(&[7], reached(fifth, 3));
        // Two of 2, 4, 6, 7.
        let given = forest.hand_over().expect("half of them");
        let mut other = Forest::new(1);
        other.take_over(given);
        let (entries, both) = pop(&mut other, 5);
        assert_eq!(entries, [2, 4]);
        assert_eq!(other.path(both[0].parent), [1]);
        assert_eq!(other.path(both[1].parent), [1, 3]);
        other.leave(both[1].parent);
        other.leave(both[0].parent);
        assert_eq!(pop(&mut forest, 5).0, [6, 7]);
        assert_eq!(forest.path(fifth), [1, 3, 5]);
        assert!(forest.hand_over().is_none());
    }
}
