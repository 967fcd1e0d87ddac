//! Remembering what processes do, instead of working it out again.
//!
//! What a process can do at a location, and where each of its steps leads, depends on few bits of a state: those that are
//! looked at while this is worked out, its *key*. There are many more states than values of those bits, so nearly always
//! the answer has been worked out before. It is remembered as a *record*: for each step the states it leads to, through
//! atomic sequences and `d_step`s however long, as bits to be overwritten. So a step costs a look-up and a few words,
//! whatever its statements look like.
//!
//! Which bits those are is found out by running the ordinary code while [`Packed`](crate::packed::Packed) notes what is
//! looked at. Every run at a location (a *spot*) adds its bits to the key of the spot; records made with a smaller key are
//! forgotten. A record is found only if all bits of the key are the same, among them all bits that were looked at when it
//! was made: then the same code would look at the same values, do the same, and end the same.
//!
//! Where the bits that are looked at depend on values that were looked at before (an element of an array, and which one),
//! all of them together may take ever new values. Such a spot gets a tree of keys ([`Node`]): the first bits that every run
//! looks at; then, for each of their values, the bits that every run looks at next; and so on.
//!
//! If a process has several choices that do not depend on each other, each of them may depend on few bits though all
//! together depend on many: the commands of a single process that is the whole model, say. If trees do not help there, each
//! choice becomes a spot of its own, as long as all of them are worth it.
//!
//! Not remembered is what goes wrong (violations must be told with their steps), what is too long, and spots whose keys
//! take ever new values even so: there the ordinary code runs.

use allways_system::{Expansion, Pid};

use crate::expand::{Expanded, Scratch};
use crate::extract;
use crate::field::Field;
use crate::quick::Quick;
use crate::records::{Index, Recorder, Records, SHORT, seed};
use crate::steps::Choices;
use crate::worker::{OwnShape, Worker};

/// What a worker remembers.
pub(crate) struct Recall {
    /// The states that it knows about have so many words.
    n_words: usize,
    pub spots: Spots,
    /// The keys of the spots, without the first two parts.
    keys: Vec<Part>,
    pub records: Records,
    /// The trees of keys.
    pub nodes: Vec<Node>,
    /// Whether bits of keys can be moved together quickly.
    uses_tables: bool,
    /// The credit of a spot to start with.
    credit: i32,
    /// How often a process was at a location of which nothing was known, not even that it is there.
    n_strange: u32,
    last_id: u32,
    scratch: Scratch,
    recorder: Recorder,
    /// The processes of which nothing was found by [`Worker::recollect`].
    pub unknown: Vec<usize>,
    /// The records of a process that `recollect.rs` found in another way than by one key.
    pub chosen: Vec<u32>,
}

/// Where a process is in the state, for the search for its record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The word with its location, where in the word it begins, and its bits then; none if it has but one location.
    word: u32,
    shift: u32,
    mask: u32,
    /// The spot of its first location.
    spot: u32,
}

impl Row {
    pub fn new(location: Option<Field>, spot: u32) -> Row {
        match location {
            Some(location) => {
                let shift = location.mask().trailing_zeros();
                let mask = (location.mask() >> shift) as u32;
                Row { word: location.word() as u32, shift, mask, spot }
            }
            None => Row { word: 0, shift: 0, mask: 0, spot },
        }
    }

    /// Which spot it is at, in a state with this process.
    #[inline(always)]
    pub fn spot(&self, words: &[u64]) -> usize {
        (self.spot + ((words[self.word as usize] >> self.shift) as u32 & self.mask)) as usize
    }

    /// The same.
    ///
    /// # Safety
    /// The words are those of a state with this process.
    #[inline(always)]
    pub unsafe fn spot_in(&self, words: &[u64]) -> usize {
        // SAFETY: promised.
        let word = unsafe { *words.get_unchecked(self.word as usize) };
        (self.spot + ((word >> self.shift) as u32 & self.mask)) as usize
    }
}

/// Some bits of a word.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Part {
    word: u32,
    mask: u64,
}

impl Part {
    /// # Safety
    /// There is such a word.
    #[inline(always)]
    unsafe fn of(self, words: &[u64]) -> u64 {
        // SAFETY: promised.
        unsafe { words.get_unchecked(self.word as usize) & self.mask }
    }

    fn value(self, words: &[u64]) -> u64 {
        words[self.word as usize] & self.mask
    }
}

/// A location of an instance.
#[derive(Clone, Copy, Default)]
struct Spot {
    /// The first two parts of its key.
    parts: [Part; 2],
    /// Of its key; a new one whenever the key changes. 0 as long as nothing is known.
    id: u32,
    /// The rest of its key, among all.
    rest: u32,
    n_rest: u16,
    /// How often remembering has not been worth it.
    strikes: u16,
    /// Falls with every record that must be made and rises with every one that is found; below 0 nothing is looked for.
    credit: i32,
    /// Records found since the last one that had to be made.
    n_found: u32,
    /// The root of its tree of keys, plus one; 0 if it has none.
    tree: u32,
    /// A tree is no good.
    without_tree: bool,
    /// Each of its choices is a spot instead: the first one and how many, if any.
    first_choice: u32,
    n_choices: u8,
}

/// All spots.
#[derive(Default)]
pub(crate) struct Spots {
    /// One for each location of each instance, numbered by [`Row::spot`].
    locations: Vec<Spot>,
    /// One for each choice of some of these.
    choices: Vec<Spot>,
    /// What is needed most of the time of each of the locations, and of the choices.
    pub quick: Vec<Quick>,
    pub quick_choices: Vec<Quick>,
}

impl Spots {
    #[inline(always)]
    fn get(&mut self, at: At) -> Option<&mut Spot> {
        match at {
            At::Location(spot) => self.locations.get_mut(spot),
            At::Choice(spot) => self.choices.get_mut(spot),
        }
    }

    fn quick(&mut self, at: At) -> &mut Quick {
        match at {
            At::Location(spot) => &mut self.quick[spot],
            At::Choice(spot) => &mut self.quick_choices[spot],
        }
    }

    /// One in which records are to be looked for.
    #[inline(always)]
    fn with_key(&mut self, at: At) -> Option<&mut Spot> {
        self.get(at).filter(|spot| spot.credit >= 0 && spot.tree == 0)
    }
}

/// Which of the spots.
#[derive(Clone, Copy)]
enum At {
    Location(usize),
    Choice(usize),
}

/// What is known about a process, or one of its choices.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    /// The record; 0 if there is none.
    pub record: u32,
    pub pid: Pid,
    pub which: Choices,
}

impl Spot {
    /// Is left alone for a while, and then for a longer one.
    fn pause(&mut self) {
        self.strikes = (self.strikes + 1).min(MAX_STRIKES);
        self.credit = -(PAUSE << self.strikes);
    }
}

/// A part of a tree of keys.
#[repr(align(64))]
pub(crate) struct Node {
    /// The key, if states are short: bits of each word.
    masks: [u64; SHORT],
    /// What hashes of keys begin with.
    seed: u64,
    /// See [`Spot::id`].
    id: u32,
    looks: Box<Looks>,
}

/// What every run looks at in a node.
struct Looks {
    /// In order.
    reads: Vec<(u32, u64)>,
    /// Word by word.
    parts: Vec<Part>,
}

impl Node {
    /// For states of so many words.
    fn new(id: u32, reads: &[(u32, u64)], n_words: usize) -> Node {
        let mut parts: Vec<Part> = Vec::new();
        let mut masks = [0; SHORT];
        if n_words <= SHORT {
            // Short keys have as many words as the states, and two at least.
            parts.extend(
                (0..n_words.max(2))
                    .map(|word| Part { word: word.min(n_words.saturating_sub(1)) as u32, mask: 0 }),
            );
        }
        for (word, mask) in reads {
            match parts.iter_mut().find(|part| part.word == *word) {
                Some(part) => part.mask |= mask,
                None => parts.push(Part { word: *word, mask: *mask }),
            }
            if n_words <= SHORT {
                masks[*word as usize] |= mask;
            }
        }
        Node { masks, seed: seed(id), id, looks: Box::new(Looks { reads: reads.to_vec(), parts }) }
    }

    /// Looks for what is known here of a state: 0 if nothing is, else a record or a link to another node.
    #[inline(always)]
    fn find(&self, index: Index, words: &[u64]) -> u32 {
        let parts = &self.looks.parts[..];
        index.find(self.seed, self.id, parts.len(), |i| parts[i].value(words))
    }

    /// The same for short states.
    #[inline(always)]
    pub fn find_short<const N: usize>(&self, index: Index, words: &[u64; N]) -> u32 {
        index.find_short::<N>(self.seed, self.id, std::array::from_fn(|i| words[i] & self.masks[i]))
    }

    /// The key of a state.
    fn key<'n>(&'n self, words: &'n [u64]) -> impl ExactSizeIterator<Item = u64> + 'n {
        self.looks.parts.iter().map(|part| part.value(words))
    }
}

/// A tree without a root yet.
const NO_ROOT: u32 = u32::MAX;

/// More bits than lie in this many words are no key.
const MAX_KEY: usize = 64;
/// Runs that look at more than this, one after the other, have no place in a tree.
const MAX_READS: usize = 200;
/// How many times as many are made for a single choice; more after each failure.
const PATIENCE: i32 = 8;
/// Nothing is learned of a location before processes were so often at others that are not known.
const FEW_STRANGE: u32 = 64;
/// More choices are not made spots of their own.
const MAX_CHOICES: usize = 64;
/// When the records take so many words all are forgotten.
const MAX_RECORDS: usize = 1 << 20;
/// The same if there are so many nodes.
const MAX_NODES: usize = 1 << 16;
/// What making a record costs, in findings.
const COST: u32 = 8;
/// How many records are made for a spot before they must pay.
pub(crate) const TRIAL: u32 = 256;
/// The most credit of a spot.
const MAX_CREDIT: u32 = 4096 * COST;
/// A spot whose credit is used up is left alone for so many visits, and longer the next time...
const PAUSE: i32 = 16_384;
/// ...until it is left alone for good.
const MAX_STRIKES: u16 = 6;

impl Recall {
    /// With so many records that may be made for a spot before they must pay.
    pub fn new(trial: u32) -> Recall {
        Recall {
            n_words: 0,
            nodes: Vec::new(),
            uses_tables: extract::is_quick(),
            credit: (trial * COST) as i32,
            spots: Spots::default(),
            keys: Vec::new(),
            records: Records::new(),
            n_strange: 0,
            last_id: 0,
            scratch: Scratch::default(),
            recorder: Recorder::default(),
            unknown: Vec::new(),
            chosen: Vec::new(),
        }
    }

    /// Whether keys may have tables.
    #[inline(always)]
    pub fn uses_tables(&self) -> bool {
        self.uses_tables
    }

    /// How many words the states have.
    #[inline(always)]
    pub fn n_words(&self) -> usize {
        self.n_words
    }

    /// To be called before a state of so many words is expanded: the records found for it must not be forgotten under way.
    #[inline(always)]
    pub fn make_room(&mut self, n_words: usize) {
        if self.records.n_words() > MAX_RECORDS || self.nodes.len() > MAX_NODES || n_words != self.n_words {
            self.forget(n_words);
        }
    }

    #[cold]
    #[inline(never)]
    fn forget(&mut self, n_words: usize) {
        if n_words != self.n_words {
            // Keys and records look different now.
            self.n_words = n_words;
            self.spots = Spots::default();
            self.keys.clear();
        }
        self.records.clear();
        self.nodes.clear();
        let all = self.spots.locations.iter_mut().chain(&mut self.spots.choices);
        all.filter(|spot| spot.tree != 0).for_each(|spot| spot.tree = NO_ROOT);
        let all = self.spots.quick.iter_mut().chain(&mut self.spots.quick_choices);
        all.for_each(Quick::forget);
    }

    /// Gives keys that were found so often, and have few bits, tables in which they are found at once.
    pub fn make_tables(&mut self, n_found: u32) {
        if !self.uses_tables || self.n_words > SHORT {
            return;
        }
        for quick in &mut self.spots.quick {
            if quick.id != 0 && !quick.has_table() && quick.n_found >= n_found {
                quick.make_table(&mut self.records);
            }
        }
    }

    /// Looks for the record of a spot, for states of this many words, which are few; 0 if there is none.
    #[inline(always)]
    fn find_short<const N: usize>(&mut self, at: At, words: &[u64; N]) -> u32 {
        let Recall { spots, records, nodes, .. } = self;
        let quick = match at {
            At::Location(spot) => spots.quick.get_mut(spot),
            At::Choice(spot) => spots.quick_choices.get_mut(spot),
        };
        match quick {
            Some(quick) if quick.has_tree() => quick.find_in_tree(nodes, records.index(), words),
            Some(quick) => quick.find(records.index(), words),
            None => 0,
        }
    }

    /// The same for a location, by its table if it has one.
    #[inline(always)]
    fn find_at_once<const N: usize>(
        &mut self,
        spot: usize,
        words: &[u64; N],
        extract: impl Fn(u64, u64) -> u64,
    ) -> u32 {
        let Recall { spots, records, .. } = self;
        match spots.quick.get_mut(spot) {
            Some(quick) if quick.has_table() => match quick.find_at_once(records.index(), words, extract) {
                0 => quick.enter(records.index(), words),
                record => record,
            },
            _ => self.find_short(At::Location(spot), words),
        }
    }

    /// The same for other states.
    #[inline(always)]
    fn find(&mut self, at: At, words: &[u64]) -> u32 {
        let Some(spot) = self.spots.with_key(at) else { return 0 };
        let rest = &self.keys[spot.rest as usize..][..spot.n_rest as usize];
        let record = self.records.index().find(seed(spot.id), spot.id, 2 + rest.len(), |i| {
            let part = if i < 2 { spot.parts[i] } else { rest[i - 2] };
            // SAFETY: this worker's state had all words of the key when they were looked at, and the room for a state
            // never shrinks.
            unsafe { part.of(words) }
        });
        spot.n_found = spot.n_found.wrapping_add((record != 0) as u32);
        record
    }

    /// Adds the record that was just made to the tree of a spot, for a run that looked at these bits. 0 if that cannot be.
    fn add_to_tree(&mut self, spot: At, words: &[u64], mut reads: &[(u32, u64)]) -> u32 {
        // Short keys have no room for words that a state has only while its processes move.
        let is_beyond = |(word, _): &(u32, u64)| self.n_words <= SHORT && *word as usize >= self.n_words;
        if reads.is_empty() || reads.len() > MAX_READS || reads.iter().any(is_beyond) {
            return 0;
        }
        if self.spot(spot).tree == NO_ROOT {
            self.spot(spot).tree = self.node(reads);
        }
        let mut number = self.spot(spot).tree;
        loop {
            let node = &self.nodes[number as usize - 1];
            let n_same = node.looks.reads.iter().zip(reads).take_while(|(a, b)| a == b).count();
            if n_same == 0 {
                return 0;
            }
            if n_same < node.looks.reads.len() {
                // Not every run looks at the rest: what was known here is no longer found.
                self.last_id += 1;
                self.nodes[number as usize - 1] = Node::new(self.last_id, &reads[..n_same], self.n_words);
            }
            let node = &self.nodes[number as usize - 1];
            reads = &reads[n_same..];
            let known = node.find(self.records.index(), words);
            if known != 0 {
                match self.records.index().link(known) {
                    Some(next) if !reads.is_empty() => number = next,
                    _ => return 0,
                }
                continue;
            }
            if reads.is_empty() {
                return self.records.add(node.id, node.key(words), &self.recorder);
            }
            let next = self.node(reads);
            let node = &self.nodes[number as usize - 1];
            self.records.add_link(node.id, node.key(words), next);
            number = next;
        }
    }

    /// A new node: its number plus one.
    fn node(&mut self, reads: &[(u32, u64)]) -> u32 {
        self.last_id += 1;
        self.nodes.push(Node::new(self.last_id, reads, self.n_words));
        self.nodes.len() as u32
    }

    /// Adds the record that was just made, for the state with these words, to a spot without a tree.
    fn add_to_spot(&mut self, spot: At, words: &[u64]) -> u32 {
        let spot = *self.spot(spot);
        let rest = &self.keys[spot.rest as usize..][..spot.n_rest as usize];
        let key: Vec<u64> = spot.parts.iter().chain(rest).map(|part| part.value(words)).collect();
        self.records.add(spot.id, key.into_iter(), &self.recorder)
    }

    /// Makes the key of a spot include these bits. False if it becomes too large.
    fn extend_key(&mut self, at: At, looked_at: &[u64]) -> bool {
        let Spot { id, parts, rest, n_rest, .. } = *self.spot(at);
        let old = parts.iter().chain(&self.keys[rest as usize..][..n_rest as usize]);
        let is_covered = |(word, mask): (usize, &u64)| {
            let own = old.clone().find(|part| part.word as usize == word && part.mask != 0);
            mask & !own.map_or(0, |part| part.mask) == 0
        };
        if id != 0 && looked_at.iter().enumerate().all(is_covered) {
            return true;
        }
        let mut masks = looked_at.to_vec();
        for part in old {
            let word = part.word as usize;
            if masks.len() <= word {
                masks.resize(word + 1, 0);
            }
            masks[word] |= part.mask;
        }
        let is_short = self.n_words <= SHORT;
        let new = masks.iter().enumerate().filter(|(_, mask)| is_short || **mask != 0);
        let mut new: Vec<Part> = new.map(|(word, mask)| Part { word: word as u32, mask: *mask }).collect();
        if new.len() > if is_short { self.n_words } else { MAX_KEY } {
            return false;
        }
        // Parts without bits do no harm.
        new.resize(new.len().max(2), Part::default());
        self.last_id += 1;
        let (id, rest) = (self.last_id, self.keys.len() as u32);
        let spot = self.spot(at);
        spot.parts = [new[0], new[1]];
        (spot.id, spot.rest, spot.n_rest) = (id, rest, new.len() as u16 - 2);
        self.keys.extend_from_slice(&new[2..]);
        true
    }

    /// What is known of a spot has changed.
    fn refresh(&mut self, at: At) {
        let spot = *self.spot(at);
        let mut quick = Quick::default();
        (quick.first_choice, quick.n_choices) = (spot.first_choice, spot.n_choices);
        if self.n_words <= SHORT && spot.credit >= 0 {
            if spot.tree == 0 {
                (quick.id, quick.seed) = (spot.id, seed(spot.id));
                let rest = &self.keys[spot.rest as usize..][..spot.n_rest as usize];
                for part in spot.parts.iter().chain(rest) {
                    quick.masks[part.word as usize] |= part.mask;
                }
            } else if spot.tree != NO_ROOT {
                quick.tree = spot.tree;
            }
        }
        let old = self.spots.quick(at);
        quick.n_found = old.n_found;
        if quick.id == old.id {
            quick.take_table(old);
        }
        *old = quick;
    }

    fn spot(&mut self, at: At) -> &mut Spot {
        match at {
            At::Location(spot) => &mut self.spots.locations[spot],
            At::Choice(spot) => &mut self.spots.choices[spot],
        }
    }

    /// Makes each of so many choices of a location a spot of its own.
    fn split(&mut self, spot: usize, n_choices: usize) {
        let Spots { locations, choices, quick_choices, .. } = &mut self.spots;
        let (first, spot) = (choices.len(), &mut locations[spot]);
        let credit = (self.credit * PATIENCE) << spot.strikes;
        // Trees are slow, and a single choice is seldom so long that they pay.
        choices.resize(first + n_choices, Spot { credit, without_tree: true, ..Spot::default() });
        quick_choices.resize(first + n_choices, Quick::default());
        (spot.first_choice, spot.n_choices) = (first as u32, n_choices as u8);
    }
}

/// Looks for a record in a tree, given a way to look into a node; 0 if there is none.
#[inline(always)]
pub(crate) fn find_in_tree(nodes: &[Node], index: Index, root: u32, find: impl Fn(&Node) -> u32) -> u32 {
    let mut number = root;
    while let Some(node) = nodes.get((number as usize).wrapping_sub(1)) {
        let record = find(node);
        match (record != 0).then(|| index.link(record)).flatten() {
            Some(next) => number = next,
            None => return record,
        }
    }
    0
}

impl Worker<'_, '_> {
    /// The same as [`Worker::recall`] for states of few words, given a way to move bits of a word together.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn recall_short<const N: usize>(
        &mut self,
        recall: &mut Recall,
        shape: &OwnShape,
        pid: usize,
        row: &Row,
        words: &[u64; N],
        known: &mut Vec<Known>,
        extract: impl Fn(u64, u64) -> u64,
    ) {
        // SAFETY: the state has all words of its shape.
        let spot = unsafe { row.spot_in(words) };
        let record = recall.find_at_once(spot, words, extract);
        if record != 0 {
            known.push(Known { record, pid: pid as Pid, which: Choices::All });
        } else {
            let find = |recall: &mut Recall, at: At, _: &[u64]| recall.find_short(at, words);
            self.recall_choices(recall, shape, pid as Pid, spot, known, find);
        }
    }

    /// Finds the record of a process, or those of its choices, which are made now if need be. The row is one of the shape's,
    /// which is that of the state.
    #[inline(always)]
    pub(crate) fn recall(
        &mut self,
        recall: &mut Recall,
        shape: &OwnShape,
        pid: usize,
        row: &Row,
        known: &mut Vec<Known>,
    ) {
        // SAFETY: the state has room for all words of its shape.
        let spot = unsafe { row.spot_in(&self.state.words) };
        let record = recall.find(At::Location(spot), &self.state.words);
        if record != 0 {
            known.push(Known { record, pid: pid as Pid, which: Choices::All });
            return;
        }
        self.recall_choices(recall, shape, pid as Pid, spot, known, Recall::find);
    }

    /// The same if there is no record of all choices.
    #[inline(never)]
    fn recall_choices(
        &mut self,
        recall: &mut Recall,
        shape: &OwnShape,
        pid: Pid,
        spot: usize,
        known: &mut Vec<Known>,
        find: impl Fn(&mut Recall, At, &[u64]) -> u32,
    ) {
        if recall.spots.locations.get(spot).is_none_or(|spot| spot.n_choices == 0) {
            let record = self.learn(recall, shape, pid, At::Location(spot), Choices::All).unwrap_or(0);
            if record != 0 || recall.spots.locations.get(spot).is_none_or(|spot| spot.n_choices == 0) {
                known.push(Known { record, pid, which: Choices::All });
                return;
            }
        }
        let Spot { first_choice, n_choices, .. } = recall.spots.locations[spot];
        for number in 0..n_choices as u32 {
            let at = At::Choice((first_choice + number) as usize);
            let which = Choices::One(number);
            let mut record = find(recall, at, &self.state.words);
            if record == 0 {
                record = self.learn(recall, shape, pid, at, which).unwrap_or(0);
                if recall.spot(at).strikes > 0 {
                    recall.spots.locations[spot].n_choices = 0;
                    recall.refresh(At::Location(spot));
                }
            }
            known.push(Known { record, pid, which });
        }
    }

    /// Finds the record of a spot in another way than by its key, or makes it, if that is worth it.
    #[cold]
    #[inline(never)]
    fn learn(
        &mut self,
        recall: &mut Recall,
        shape: &OwnShape,
        pid: Pid,
        at: At,
        which: Choices,
    ) -> Option<u32> {
        if let At::Location(spot) = at
            && recall.spots.locations.len() <= spot
        {
            // A search of a few states only makes room for what it will not look for.
            recall.n_strange += 1;
            if recall.n_strange < FEW_STRANGE {
                return None;
            }
            recall.spots.locations.resize(spot + 1, Spot { credit: recall.credit, ..Spot::default() });
            recall.spots.quick.resize(spot + 1, Quick::default());
        }
        let first_credit = recall.credit;
        let spot = recall.spot(at);
        if spot.credit < 0 {
            if spot.strikes < MAX_STRIKES {
                spot.credit += 1;
                if spot.credit == 0 {
                    spot.credit = first_credit << spot.strikes;
                    recall.refresh(at);
                }
            }
            return None;
        }
        let n_found = std::mem::take(&mut recall.spots.quick(at).n_found);
        let spot = recall.spot(at);
        spot.n_found = spot.n_found.wrapping_add(n_found);
        let record = self.learn_more(recall, shape, pid, at, which);
        recall.refresh(at);
        record
    }

    fn learn_more(
        &mut self,
        recall: &mut Recall,
        shape: &OwnShape,
        pid: Pid,
        at: At,
        which: Choices,
    ) -> Option<u32> {
        let first_credit = recall.credit;
        let known = recall.spot(at);
        if known.tree != 0 {
            let root = known.tree;
            let index = recall.records.index();
            let record = find_in_tree(&recall.nodes, index, root, |node| node.find(index, &self.state.words));
            if record != 0 {
                recall.spot(at).n_found += 1;
                return Some(record);
            }
        }
        let known = recall.spot(at);
        let found = std::mem::take(&mut known.n_found);
        let most = MAX_CREDIT.max(known.credit as u32);
        known.credit = (known.credit as u32).saturating_add(found).min(most) as i32 - COST as i32;
        if known.credit < 0 && known.tree == 0 && !known.without_tree {
            // The key as a whole is no good.
            (known.tree, known.credit) = (NO_ROOT, first_credit);
        }
        if known.credit < 0 {
            known.pause();
            self.split(recall, shape, pid, at);
            return None;
        }
        self.state.trace();
        let is_usual =
            self.record(recall.n_words, shape, pid, which, &mut recall.scratch, &mut recall.recorder);
        self.state.back(0);
        if !std::rc::Rc::ptr_eq(&self.shape, shape) {
            self.shape = shape.clone();
        }
        self.exclusive = None;
        let (looked_at, reads) = self.state.end_trace();
        if !is_usual {
            (self.assertion_failed, self.exclusive_violated, self.too_large) = (false, false, None);
            return None;
        }
        if recall.spot(at).tree != 0 {
            let reads = reads.to_vec();
            let record = recall.add_to_tree(at, &self.state.words, &reads);
            if record == 0 {
                let known = recall.spot(at);
                (known.tree, known.without_tree) = (0, true);
                known.pause();
                self.split(recall, shape, pid, at);
            }
            return (record != 0).then_some(record);
        }
        if !recall.extend_key(at, looked_at) {
            let known = recall.spot(at);
            if known.without_tree {
                (known.strikes, known.credit) = (MAX_STRIKES, -1);
                self.split(recall, shape, pid, at);
            } else {
                known.tree = NO_ROOT;
            }
            return None;
        }
        Some(recall.add_to_spot(at, &self.state.words))
    }

    /// Makes each choice of a process a spot of its own, if that can be.
    fn split(&mut self, recall: &mut Recall, shape: &OwnShape, pid: Pid, at: At) {
        if let At::Location(spot) = at
            && let Some(n_choices @ 2..=MAX_CHOICES) = self.independent_choices(shape, pid)
        {
            recall.split(spot, n_choices);
        }
    }

    /// Takes all steps of a process; whether nothing unusual happened.
    fn record(
        &mut self,
        recall_words: usize,
        shape: &OwnShape,
        pid: Pid,
        which: Choices,
        scratch: &mut Scratch,
        recorder: &mut Recorder,
    ) -> bool {
        let mut expansion = Expansion::default();
        scratch.steps.clear();
        self.steps_of(shape, pid, which, &mut scratch.steps, &mut expansion);
        if expansion.nondeterminism.is_some() {
            return false;
        }
        scratch.n_steps = scratch.steps.len();
        recorder.start(recall_words, expansion.refused_handshake, self.machine.shape_field);
        for number in 0..scratch.n_steps {
            let step = scratch.steps[number];
            recorder.step(step);
            let mut expanded = Expanded::default();
            let flow = self.take_and_tell(shape, step, scratch, recorder, u64::MAX, &mut expanded);
            if flow.is_break() || self.too_large.is_some() {
                return false;
            }
            recorder.end_step(expanded);
        }
        recorder.is_short()
    }
}
