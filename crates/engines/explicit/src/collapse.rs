//! States as pairs of numbers: every part of a state is replaced by the number it has in a dictionary.
//!
//! Most steps change a word or two, and the parts of a state take few different values, however many states there are.
//! So the words of a state become the leaves of a tree. A node's value is made of words and of the numbers of the nodes
//! below it; its own number is that of its value in a dictionary. The pair of the numbers of the two topmost nodes names
//! the state exactly. After a step only the nodes above the changed words are looked up again.
//!
//! This is the tree compression of LTSmin (Laarman, van de Pol, Weber) with wider nodes, and with the words in an order
//! that keeps together what changes together (`order.rs`); words that were never seen to change are put out of the way.

use std::hint::select_unpredictable;
use std::sync::Arc;

use allways_compiled::{Arrival, SHORT, Source};
use allways_store::{Full, Hands, Interner, OutOfMemory};

use crate::keeper::pack;
use crate::tally::Origins;

mod later;

use later::Later;

/// The tree, with its dictionaries.
pub struct Collapse {
    /// Words of a state; more cannot be kept.
    n_words: usize,
    nodes: Vec<Node>,
    /// Where each word of a state is kept.
    homes: Vec<Home>,
    /// One for each of the two topmost nodes, then one for each width.
    dictionaries: Vec<Interner>,
    /// Words of all values together.
    n_values: usize,
    /// Which nodes have no others below them, which have only such, and so on, as bits.
    levels: Vec<Vec<u64>>,
    kind: Kind,
    /// For [`Kind::Halves`]: the bits of the first.
    half: u32,
    /// For [`Kind::Flat`].
    flat: Flat,
    /// For a state of three or four words: those of the left node, then those of the right one.
    short: [usize; SHORT],
}

/// What a tree looks like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// No tree: the state is one word.
    Word,
    /// The state is one word, and the two nodes are some of its bits and the rest.
    Halves,
    /// Two topmost nodes of one word each.
    Pair,
    /// Nothing but the two topmost nodes.
    Flat,
    Tree,
}

/// Words that are the values of the two topmost nodes.
#[derive(Default)]
struct Flat {
    left: Vec<u32>,
    right: Vec<u32>,
    /// For each word whether it is one of the left (1) or of the right (2).
    side: Vec<u8>,
}

/// Nodes come after those below them; the last two are the topmost ones.
struct Node {
    /// Where its value starts among those of all nodes, and its words.
    start: u32,
    width: u32,
    dictionary: u32,
    /// The node above, and which 32 bits among all values are this one's number.
    parent: u32,
    half: u32,
    level: u32,
}

/// Where a word of a state is kept.
#[derive(Clone, Copy)]
struct Home {
    node: u32,
    /// Among the values of all nodes.
    at: u32,
}

/// The values of all nodes for the state whose successors are being encoded.
#[derive(Default)]
pub struct Base {
    values: Vec<u64>,
    left: u32,
    right: u32,
    /// Nodes to look up, as bits.
    dirty: Vec<u64>,
    undo: Vec<(u32, u64)>,
    later: Later,
    /// Which successors' sides are to be looked up, while several are encoded.
    unknown: Vec<(u32, u32)>,
    /// The words of a [`Kind::Pair`].
    pair: [u64; 2],
    /// What was looked up lately on each side, by one word or by two.
    recent: [Recent<1>; 2],
    recent_two: [Recent<2>; 2],
}

impl Base {
    /// What is noted of successors that are to be encoded together takes so many bytes.
    pub fn bytes(&self) -> u64 {
        self.later.bytes()
    }
}

/// Values of so many words that were looked up lately, with their numbers. 0 has the number 0, as in every dictionary.
struct Recent<const W: usize>(Box<[([u64; W], u32); RECENT]>);

const RECENT: usize = 1024;

impl<const W: usize> Default for Recent<W> {
    fn default() -> Recent<W> {
        Recent(Box::new([([0; W], 0); RECENT]))
    }
}

impl<const W: usize> Recent<W> {
    /// Where a value is, if it is there at all.
    #[inline(always)]
    fn slot(&mut self, value: &[u64; W]) -> &mut ([u64; W], u32) {
        let mixed = value.iter().zip(MULTIPLIERS).fold(0, |sum, (word, odd)| sum ^ word.wrapping_mul(odd));
        &mut self.0[(mixed >> (64 - RECENT.ilog2())) as usize]
    }

    #[inline(always)]
    fn find(&mut self, value: &[u64; W], dictionary: &Interner) -> Result<u32, Full> {
        let slot = self.slot(value);
        if slot.0 != *value {
            *slot = (*value, look_up(value, dictionary)?);
        }
        Ok(slot.1)
    }
}

/// Without the branches that `==` of arrays comes down to.
#[inline(always)]
fn equal<const W: usize>(a: &[u64; W], b: &[u64; W]) -> bool {
    (0..W).fold(0, |difference, word| difference | (a[word] ^ b[word])) == 0
}

const MULTIPLIERS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];

#[inline(never)]
fn look_up<const W: usize>(value: &[u64; W], dictionary: &Interner) -> Result<u32, Full> {
    // The right one of three words is alone.
    if W > 1 && dictionary.width() == 1 {
        return dictionary.intern_array(&[value[0]]);
    }
    dictionary.intern_array(value)
}

/// A state that does not fit; or the dictionaries must grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    Full,
    /// It has so many words.
    TooWide(usize),
}

impl From<Full> for Refused {
    fn from(_: Full) -> Refused {
        Refused::Full
    }
}

/// A state of one word with more bits than this has two nodes: the numbers of these are much shorter.
const FEW_BITS: u32 = 46;
/// A topmost node with no more than this many words has them as its value.
const DIRECT: usize = 3;
/// Otherwise nodes of so many words are put below it.
const LEAF: usize = 2;
/// The most numbers in a value.
const FAN: usize = 8;
/// Words of a leaf that was never seen to change.
const QUIET_LEAF: usize = 4;

impl Collapse {
    /// For states of so many words and bits. Those listed in `order` are known to change. With `halves`, each half of a
    /// long word takes few values.
    pub fn new(n_words: usize, n_bits: u32, order: &[u32], halves: bool) -> Result<Collapse, OutOfMemory> {
        let n_words = n_words.max(1);
        let mut busy: Vec<u32> = order.iter().copied().filter(|word| (*word as usize) < n_words).collect();
        let mut is_busy = vec![false; n_words];
        busy.iter().for_each(|word| is_busy[*word as usize] = true);
        let mut quiet: Vec<u32> = (0..n_words as u32).filter(|word| !is_busy[*word as usize]).collect();
        // Both topmost nodes need a word.
        while busy.len() < n_words.min(2) {
            busy.push(quiet.remove(0));
        }
        let mut plan = Plan { nodes: Vec::new(), homes: vec![Home { node: 0, at: 0 }; n_words], n_values: 0 };
        let mut dictionaries = Vec::new();
        let (mut kind, mut flat, half) = (Kind::Word, Flat::default(), half_of(n_bits));
        if n_words > 1 {
            if n_words == 2 {
                busy.sort();
            } else if n_words <= SHORT {
                // All of them, two on the left.
                let n_left = busy.len().div_ceil(2);
                let n_more = 2 - n_left;
                busy.splice(n_left..n_left, quiet.drain(..n_more));
                busy.append(&mut quiet);
            }
            let (left, right) = busy.split_at(busy.len().div_ceil(2));
            let quiet = plan.quiet(&quiet);
            let (left, right) = (plan.below(left, &[]), plan.below(right, &quiet));
            let left = plan.node(&left.0, &left.1, Some(0));
            let right = plan.node(&right.0, &right.1, Some(1));
            let widths = [left, right].map(|node| plan.nodes[node as usize].width as usize);
            if plan.nodes.len() == 2 {
                let words = |node| {
                    let mut words: Vec<u32> =
                        (0..n_words as u32).filter(|word| plan.homes[*word as usize].node == node).collect();
                    words.sort_by_key(|word| plan.homes[*word as usize].at);
                    words
                };
                let side = plan.homes.iter().map(|home| home.node as u8 + 1).collect();
                kind = if n_words == 2 { Kind::Pair } else { Kind::Flat };
                flat = Flat { left: words(0), right: words(1), side };
            } else {
                kind = Kind::Tree;
            }
            dictionaries = vec![Interner::new(widths[0])?, Interner::new(widths[1])?];
            for width in 1..=FAN / 2 {
                dictionaries.push(Interner::new(width)?);
            }
        }
        if n_words == 1 && n_bits > FEW_BITS && halves {
            kind = Kind::Halves;
            dictionaries = vec![Interner::new(1)?, Interner::new(1)?];
        }
        let Plan { nodes, homes, n_values } = plan;
        let n_levels = nodes.iter().map(|node| node.level as usize + 1).max().unwrap_or(0);
        let mut levels = vec![vec![0; nodes.len().div_ceil(64)]; n_levels];
        for (number, node) in nodes.iter().enumerate() {
            levels[node.level as usize][number / 64] |= 1 << (number % 64);
        }
        let mut short = [0; SHORT];
        if kind == Kind::Flat {
            short
                .iter_mut()
                .zip(flat.left.iter().chain(&flat.right))
                .for_each(|(own, word)| *own = *word as usize);
        }
        Ok(Collapse {
            n_words,
            nodes,
            homes,
            dictionaries,
            n_values: n_values as usize,
            levels,
            kind,
            half,
            flat,
            short,
        })
    }

    /// How many words a worker's state must have room for.
    pub fn room(&self) -> usize {
        self.n_words
    }

    /// The whole state, without knowing one before it.
    pub fn encode_all(&self, words: &[u64], base: &mut Base) -> Result<(u32, u32), Refused> {
        let needed = words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        if needed > self.n_words {
            return Err(Refused::TooWide(needed));
        }
        match self.kind {
            Kind::Word => return Ok((words[0] as u32, (words[0] >> 32) as u32)),
            Kind::Halves => {
                let halves = [words[0] & ((1 << self.half) - 1), words[0] >> self.half];
                let pair = (self.side(0, &[0], &halves)?, self.side(1, &[1], &halves)?);
                (base.left, base.right) = pair;
                base.pair = halves;
                return Ok(pair);
            }
            Kind::Pair => {
                let pair = (self.side(0, &[0], words)?, self.side(1, &[1], words)?);
                (base.left, base.right) = pair;
                base.pair = [words[0], words[1]];
                return Ok(pair);
            }
            Kind::Flat => {
                let flat = &self.flat;
                let pair = (self.side(0, &flat.left, words)?, self.side(1, &flat.right, words)?);
                (base.left, base.right) = pair;
                return Ok(pair);
            }
            Kind::Tree => {}
        }
        self.prepare(base);
        for (word, home) in words.iter().zip(&self.homes) {
            base.values[home.at as usize] = *word;
        }
        for number in 0..self.nodes.len() {
            base.dirty[number / 64] |= 1 << (number % 64);
        }
        let pair = self.climb(base)?;
        base.undo.clear();
        (base.left, base.right) = pair;
        Ok(pair)
    }

    fn prepare(&self, base: &mut Base) {
        if base.values.len() != self.n_values {
            base.values = vec![0; self.n_values];
            base.dirty = vec![0; self.nodes.len().div_ceil(64)];
        }
    }

    /// A successor of the state that `base` knows.
    #[inline(always)]
    pub fn encode(&self, arrival: &Arrival, base: &mut Base) -> Result<(u32, u32), Refused> {
        let Arrival { words, n_words, changed, .. } = *arrival;
        if n_words > self.n_words {
            return Err(Refused::TooWide(n_words));
        }
        match self.kind {
            Kind::Word => Ok((words[0] as u32, (words[0] >> 32) as u32)),
            Kind::Halves => self.encode_pair(words[0] & ((1 << self.half) - 1), words[0] >> self.half, base),
            Kind::Pair => self.encode_pair(words[0], words[1], base),
            Kind::Flat => {
                let flat = &self.flat;
                let sides = changed.iter().fold(0, |sides, (word, _)| sides | flat.side[*word as usize]);
                let mut pair = (base.left, base.right);
                if sides & 1 != 0 {
                    pair.0 = self.side(0, &flat.left, words)?;
                }
                if sides & 2 != 0 {
                    pair.1 = self.side(1, &flat.right, words)?;
                }
                Ok(pair)
            }
            Kind::Tree => self.encode_tree(words, changed, base),
        }
    }

    /// Appends the pairs of successors of few words each, [`Collapse::room`] of them, of states whose pairs are known.
    #[inline(always)]
    pub fn encode_short<const N: usize>(
        &self,
        states: &[[u64; N]],
        from: &[Source],
        origins: &Origins,
        base: &mut Base,
        pairs: &mut Vec<u64>,
    ) -> Result<(), Full> {
        debug_assert_eq!((N, from.len()), (self.n_words, states.len()));
        if self.kind == Kind::Word {
            pairs.extend(states.iter().map(|words| words[0]));
            return Ok(());
        }
        let Base { unknown, recent, recent_two, .. } = base;
        if N <= 2 {
            self.encode_sides::<N, 1>(states, from, origins, unknown, recent, pairs)
        } else {
            self.encode_sides::<N, 2>(states, from, origins, unknown, recent_two, pairs)
        }
    }

    /// The same where the values of the topmost nodes have at most so many words.
    #[inline(always)]
    fn encode_sides<const N: usize, const W: usize>(
        &self,
        states: &[[u64; N]],
        from: &[Source],
        origins: &Origins,
        unknown: &mut Vec<(u32, u32)>,
        recent: &mut [Recent<W>; 2],
        pairs: &mut Vec<u64>,
    ) -> Result<(), Full> {
        // What must be looked up in a dictionary waits until the processor has fetched it. Which side has changed cannot be
        // foreseen, so there are no branches for that.
        unknown.clear();
        let first = pairs.len();
        pairs.resize(first + states.len(), 0);
        let [left_recent, right_recent] = recent;
        for (number, ((words, from), place)) in states.iter().zip(from).zip(&mut pairs[first..]).enumerate() {
            let (pair, before) = origins.get::<N>(from.origin);
            let left = self.quick_side(0, words, before, pair as u32, left_recent);
            let right = self.quick_side(1, words, before, (pair >> 32) as u32, right_recent);
            if !(left.1 & right.1) {
                for (side, is_known) in [(0, left.1), (1, right.1)] {
                    if !is_known {
                        let value = self.side_of::<N, W>(side, words);
                        self.dictionaries[side].prefetch(&value[..self.dictionaries[side].width()]);
                        unknown.push((number as u32, side as u32));
                    }
                }
            }
            *place = pack((left.0, right.0));
        }
        for (number, side) in unknown {
            let (number, side) = (*number as usize, *side as usize);
            let value = self.side_of::<N, W>(side, &states[number]);
            let id = recent[side].find(&value, &self.dictionaries[side])?;
            let pair = &mut pairs[first + number];
            *pair = *pair & !(0xffff_ffff << (32 * side)) | (id as u64) << (32 * side);
        }
        Ok(())
    }

    /// The number of one of the two topmost nodes if it is known without asking the dictionary, and whether it is. `before` and
    /// `own` are the state before and its number.
    #[inline(always)]
    fn quick_side<const N: usize, const W: usize>(
        &self,
        side: usize,
        words: &[u64; N],
        before: &[u64; N],
        own: u32,
        recent: &mut Recent<W>,
    ) -> (u32, bool) {
        let value = self.side_of::<N, W>(side, words);
        let is_same = equal(&value, &self.side_of::<N, W>(side, before));
        let (known, id) = recent.slot(&value);
        (select_unpredictable(is_same, own, *id), is_same | equal(known, &value))
    }

    /// The words of one of the two topmost nodes, and zeros.
    #[inline(always)]
    fn side_of<const N: usize, const W: usize>(&self, side: usize, words: &[u64; N]) -> [u64; W] {
        let value = match (N, side) {
            (1, 0) => [words[0] & ((1 << self.half) - 1), 0],
            (1, _) => [words[0] >> self.half, 0],
            (2, _) => [words[side], 0],
            (3, 1) => [words[self.short[2]], 0],
            _ => [words[self.short[2 * side]], words[self.short[2 * side + 1]]],
        };
        std::array::from_fn(|word| value[word])
    }

    /// Asks the processor to fetch what [`Collapse::decode`] will look at first.
    #[inline(always)]
    pub fn prefetch(&self, left: u32, right: u32) {
        if let [of_left, of_right, ..] = &self.dictionaries[..] {
            of_left.prefetch_value(left);
            of_right.prefetch_value(right);
        }
    }

    #[inline(always)]
    fn encode_pair(&self, left: u64, right: u64, base: &mut Base) -> Result<(u32, u32), Refused> {
        let mut pair = (base.left, base.right);
        if left != base.pair[0] {
            pair.0 = base.recent[0].find(&[left], &self.dictionaries[0])?;
        }
        if right != base.pair[1] {
            pair.1 = base.recent[1].find(&[right], &self.dictionaries[1])?;
        }
        Ok(pair)
    }

    #[inline(never)]
    fn encode_tree(
        &self,
        words: &[u64],
        changed: &[(u32, u64)],
        base: &mut Base,
    ) -> Result<(u32, u32), Refused> {
        for (word, _) in changed {
            let home = self.homes[*word as usize];
            let new = words[*word as usize];
            let value = &mut base.values[home.at as usize];
            if *value != new {
                base.undo.push((home.at, *value));
                *value = new;
                base.dirty[home.node as usize / 64] |= 1 << (home.node % 64);
            }
        }
        let result = self.climb(base);
        for (at, word) in base.undo.iter().rev() {
            base.values[*at as usize] = *word;
        }
        base.undo.clear();
        result
    }

    /// The number of a topmost node that is made of words only.
    #[inline(always)]
    fn side(&self, dictionary: usize, list: &[u32], words: &[u64]) -> Result<u32, Full> {
        let dictionary = &self.dictionaries[dictionary];
        match *list {
            [a] => dictionary.intern_array(&[words[a as usize]]),
            [a, b] => dictionary.intern_array(&[words[a as usize], words[b as usize]]),
            [a, b, c] => dictionary.intern_array(&[words[a as usize], words[b as usize], words[c as usize]]),
            _ => {
                let mut value = [0; DIRECT + 1];
                for (value, word) in value.iter_mut().zip(list) {
                    *value = words[*word as usize];
                }
                dictionary.intern(&value[..list.len()])
            }
        }
    }

    /// Looks up the nodes that changed, from the leaves up.
    #[inline]
    fn climb(&self, base: &mut Base) -> Result<(u32, u32), Refused> {
        let mut pair = (base.left, base.right);
        let left = self.nodes.len() as u32 - 2;
        for block in 0..base.dirty.len() {
            while base.dirty[block] != 0 {
                let number = block as u32 * 64 + base.dirty[block].trailing_zeros();
                base.dirty[block] &= base.dirty[block] - 1;
                let node = &self.nodes[number as usize];
                let value = &base.values[node.start as usize..(node.start + node.width) as usize];
                let id = match self.dictionaries[node.dictionary as usize].intern(value) {
                    Ok(id) => id,
                    Err(Full) => {
                        base.dirty.fill(0);
                        return Err(Refused::Full);
                    }
                };
                if number >= left {
                    if number == left {
                        pair.0 = id
                    } else {
                        pair.1 = id
                    }
                    continue;
                }
                let (at, shift) = (node.half / 2, 32 * (node.half % 2));
                let old = base.values[at as usize];
                let new = old & !(0xffff_ffff << shift) | (id as u64) << shift;
                if new != old {
                    base.undo.push((at, old));
                    base.values[at as usize] = new;
                    base.dirty[node.parent as usize / 64] |= 1 << (node.parent % 64);
                }
            }
        }
        Ok(pair)
    }

    /// Writes the words of a state and remembers its numbers in `base`. `words` has [`Collapse::room`] words or more.
    #[inline(always)]
    pub fn decode(&self, left: u32, right: u32, words: &mut [u64], base: &mut Base) {
        if words.len() > self.n_words {
            words[self.n_words..].fill(0);
        }
        (base.left, base.right) = (left, right);
        match self.kind {
            Kind::Word => {
                words[0] = left as u64 | (right as u64) << 32;
                return;
            }
            Kind::Halves => {
                base.pair = [self.dictionaries[0].value(left)[0], self.dictionaries[1].value(right)[0]];
                words[0] = base.pair[0] | base.pair[1] << self.half;
                return;
            }
            Kind::Pair => {
                base.pair = [self.dictionaries[0].value(left)[0], self.dictionaries[1].value(right)[0]];
                words[..2].copy_from_slice(&base.pair);
                return;
            }
            Kind::Flat => {
                let flat = &self.flat;
                for (word, value) in flat.left.iter().zip(self.dictionaries[0].value(left)) {
                    words[*word as usize] = *value;
                }
                for (word, value) in flat.right.iter().zip(self.dictionaries[1].value(right)) {
                    words[*word as usize] = *value;
                }
                return;
            }
            Kind::Tree => {}
        }
        self.prepare(base);
        let values = &mut base.values[..];
        let top = self.nodes.len() - 2;
        for (number, node) in self.nodes.iter().enumerate().rev() {
            let id = match number.checked_sub(top) {
                Some(0) => left,
                Some(_) => right,
                None => (values[node.half as usize / 2] >> (32 * (node.half % 2))) as u32,
            };
            let dictionary = &self.dictionaries[node.dictionary as usize];
            let place = &mut values[node.start as usize..];
            match place.first_chunk_mut() {
                // Most are such.
                Some(place) if node.width == 2 => *place = *dictionary.value_array::<2>(id),
                _ => place.iter_mut().zip(dictionary.value(id)).for_each(|(place, word)| *place = *word),
            }
        }
        for (word, home) in words.iter_mut().zip(&self.homes) {
            *word = values[home.at as usize];
        }
    }

    /// The same for a state of [`Collapse::room`] words, which are few.
    #[inline(always)]
    pub fn decode_short<const N: usize>(&self, left: u32, right: u32) -> [u64; N] {
        let mut words = [0; N];
        if N == 1 && self.kind == Kind::Word {
            words[0] = left as u64 | (right as u64) << 32;
            return words;
        }
        let [of_left, of_right, ..] = &self.dictionaries[..] else { return words };
        if N <= 2 {
            let halves = [of_left.value_array::<1>(left)[0], of_right.value_array::<1>(right)[0]];
            match N {
                1 => words[0] = halves[0] | halves[1] << self.half,
                _ => words.copy_from_slice(&halves),
            }
            return words;
        }
        let value = of_left.value_array::<2>(left);
        (words[self.short[0]], words[self.short[1]]) = (value[0], value[1]);
        if N == 3 {
            words[self.short[2]] = of_right.value_array::<1>(right)[0];
        } else {
            let value = of_right.value_array::<2>(right);
            (words[self.short[2]], words[self.short[3]]) = (value[0], value[1]);
        }
        words
    }

    pub fn wants_growth(&self) -> bool {
        self.dictionaries.iter().any(Interner::wants_growth)
    }

    /// From now on others may help to grow.
    pub fn grow_with_help(&mut self, hands: &Arc<Hands>) {
        self.dictionaries.iter_mut().for_each(|dictionary| dictionary.grow_with_help(hands.clone()));
    }

    pub fn grow(&mut self) -> Result<(), OutOfMemory> {
        self.dictionaries.iter_mut().try_for_each(Interner::grow)
    }

    pub fn bytes(&self) -> u64 {
        self.dictionaries.iter().map(Interner::bytes).sum()
    }
}

/// How many bits of a word are its first half.
pub fn half_of(n_bits: u32) -> u32 {
    n_bits.div_ceil(2).min(32)
}

/// A tree in the making.
struct Plan {
    nodes: Vec<Node>,
    homes: Vec<Home>,
    n_values: u32,
}

impl Plan {
    /// What the value of a topmost node is made of: words, and nodes.
    fn below(&mut self, words: &[u32], others: &[u32]) -> (Vec<u32>, Vec<u32>) {
        if words.len() <= DIRECT {
            return (words.to_vec(), others.to_vec());
        }
        let mut nodes: Vec<u32> = words.chunks(LEAF).map(|words| self.node(words, &[], None)).collect();
        nodes.extend_from_slice(others);
        (Vec::new(), self.narrow(nodes))
    }

    /// Nodes for words that hardly ever change: few.
    fn quiet(&mut self, words: &[u32]) -> Vec<u32> {
        let mut nodes: Vec<u32> = words.chunks(QUIET_LEAF).map(|words| self.node(words, &[], None)).collect();
        while nodes.len() > 1 {
            nodes = nodes.chunks(FAN).map(|children| self.node(&[], children, None)).collect();
        }
        nodes
    }

    /// No more than can stand in one value.
    fn narrow(&mut self, mut nodes: Vec<u32>) -> Vec<u32> {
        while nodes.len() > FAN {
            nodes = nodes.chunks(FAN / 2).map(|children| self.node(&[], children, None)).collect();
        }
        nodes
    }

    fn node(&mut self, words: &[u32], children: &[u32], dictionary: Option<u32>) -> u32 {
        let number = self.nodes.len() as u32;
        let start = self.n_values;
        for (at, word) in words.iter().enumerate() {
            self.homes[*word as usize] = Home { node: number, at: start + at as u32 };
        }
        let first = 2 * (start + words.len() as u32);
        for (at, child) in children.iter().enumerate() {
            let child = &mut self.nodes[*child as usize];
            (child.parent, child.half) = (number, first + at as u32);
        }
        let level = children.iter().map(|child| self.nodes[*child as usize].level + 1).max().unwrap_or(0);
        let width = (words.len() + children.len().div_ceil(2)) as u32;
        self.n_values += width;
        // The dictionaries for each width come after those of the topmost nodes.
        let dictionary = dictionary.unwrap_or(1 + width);
        self.nodes.push(Node { start, width, dictionary, parent: 0, half: 0, level });
        number
    }
}

#[cfg(test)]
mod tests;
