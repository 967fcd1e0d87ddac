//! The successors of many states from memory alone: none of them is loaded.
//!
//! This is where a search of short states spends much of its time, and it has a function of its own so that what it needs all the time
//! has room in registers. What memory does not tell is left to [`Worker::expand_rest`].

use crate::expand::Expanded;
use crate::extract;
use crate::quick::Quick;
use crate::recall::{Node, Recall, Spots};
use crate::records::{Head, Index, MAX_ARRIVALS, NOTHING, Records};
use crate::worker::Worker;

/// Where a successor comes from.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The number of the state it is a successor of, among those that are expanded together.
    pub origin: u32,
    /// How many steps lead to it.
    pub length: u32,
}

/// How far [`Worker::recollect`] came.
pub enum Recollected {
    /// To the end.
    All,
    /// To the state with this number. Of that one, not everything is remembered; what is was told.
    Until(usize, Recollection),
    /// To the state with this number: of others like it nothing is remembered.
    Unknown(usize),
}

/// What was found out about a state without its being loaded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recollection {
    /// See [`Expanded`].
    pub(crate) deepest: u32,
    pub(crate) atomic_steps: u64,
    pub(crate) has_steps: bool,
}

/// Where the next successor goes. There is room for [`MAX_ARRIVALS`] of each process, and for those of one more.
#[derive(Clone, Copy)]
struct Cursor<const N: usize> {
    state: *mut [u64; N],
    from: *mut Source,
}

impl<const N: usize> Cursor<N> {
    /// Behind the last ones.
    fn new(states: &mut Vec<u64>, from: &mut Vec<Source>) -> Cursor<N> {
        let (n_states, n_from) = (states.len(), from.len());
        // SAFETY: the ends of what is in use.
        unsafe {
            Cursor { state: states.as_mut_ptr().add(n_states).cast(), from: from.as_mut_ptr().add(n_from) }
        }
    }

    /// The lists have what was added.
    ///
    /// # Safety
    /// They are those that it was made with, and were not touched since.
    unsafe fn end(&self, states: &mut Vec<u64>, from: &mut Vec<Source>) {
        // SAFETY: so many were written.
        unsafe {
            from.set_len(self.from.offset_from_unsigned(from.as_ptr()));
            states.set_len(self.state.cast::<u64>().offset_from_unsigned(states.as_ptr()));
        }
    }

    /// Appends the states of a record, which has this head.
    ///
    /// # Safety
    /// The record is about states of so many words, and there is room for its states, or for one if there are none.
    #[inline(always)]
    unsafe fn add(
        mut self,
        index: Index,
        record: u32,
        head: Head,
        words: &[u64; N],
        origin: u32,
    ) -> Cursor<N> {
        let n_arrivals = head.n_arrivals();
        // SAFETY: promised; where there is no state something is written that is not counted: that there is one or none
        // cannot be foreseen.
        unsafe {
            let mut at = self.put(index, Records::arrivals(record), words, origin);
            let has_one = (n_arrivals > 0) as usize;
            (self.state, self.from) = (self.state.add(has_one), self.from.add(has_one));
            for _ in 1..n_arrivals {
                at = self.put(index, at, words, origin);
                (self.state, self.from) = (self.state.add(1), self.from.add(1));
            }
        }
        self
    }

    /// Writes a state of a record. Where the next one is.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    unsafe fn put(self, index: Index, at: u32, words: &[u64; N], origin: u32) -> u32 {
        // SAFETY: promised.
        unsafe {
            let (head, words, next) = index.short_arrival(at, words);
            self.state.write_unaligned(words);
            self.from.write(Source { origin, length: head.length as u32 });
            next
        }
    }
}

impl Worker<'_, '_> {
    /// Appends the successors of these states that are remembered, from the state with the number `first` on: their words, and
    /// where they come from. `note` is told of what else there is to say about a state: its number, the longest path that
    /// was looked at, and steps into atomic sequences.
    ///
    /// Stops where not everything is remembered. That state is to be loaded, then [`Worker::expand_rest`] finds the others; or
    /// [`Worker::expand`] finds all if nothing was told of it.
    #[inline(always)]
    pub fn recollect<const N: usize>(
        &mut self,
        origins: &[[u64; N]],
        first: usize,
        states: &mut Vec<u64>,
        from: &mut Vec<Source>,
        note: impl FnMut(usize, u32, u64),
    ) -> Recollected {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if self.recall.as_deref().is_some_and(Recall::uses_tables) {
            // SAFETY: the processor has the instruction, or there would be no tables.
            return unsafe { self.recollect_bmi2(origins, first, states, from, note) };
        }
        self.recollect_slowly(origins, first, states, from, note)
    }

    /// The same for processors of the last decade.
    ///
    /// # Safety
    /// The processor has these instructions.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[target_feature(enable = "bmi1,bmi2")]
    #[inline(never)]
    unsafe fn recollect_bmi2<const N: usize>(
        &mut self,
        origins: &[[u64; N]],
        first: usize,
        states: &mut Vec<u64>,
        from: &mut Vec<Source>,
        note: impl FnMut(usize, u32, u64),
    ) -> Recollected {
        let extract = |word, mask| std::arch::x86_64::_pext_u64(word, mask);
        self.recollect_with(origins, first, states, from, note, extract)
    }

    #[inline(never)]
    fn recollect_slowly<const N: usize>(
        &mut self,
        origins: &[[u64; N]],
        first: usize,
        states: &mut Vec<u64>,
        from: &mut Vec<Source>,
        note: impl FnMut(usize, u32, u64),
    ) -> Recollected {
        self.recollect_with(origins, first, states, from, note, extract::slowly)
    }

    /// The same with a way to move bits of a word together.
    #[inline(always)]
    fn recollect_with<const N: usize>(
        &mut self,
        origins: &[[u64; N]],
        mut first: usize,
        states: &mut Vec<u64>,
        from: &mut Vec<Source>,
        mut note: impl FnMut(usize, u32, u64),
        extract: impl Fn(u64, u64) -> u64 + Copy,
    ) -> Recollected {
        let shape_field = self.machine.shape_field;
        let (shape_word, shape_mask) = (shape_field.word(), shape_field.mask());
        while let Some(words) = origins.get(first) {
            let number = shape_field.get(words) as u32;
            if number != self.shape.number {
                self.shape = self.shape_by_number(number);
            }
            let Some(recall) = self.recall.as_deref_mut().filter(|recall| recall.n_words() == N) else {
                return Recollected::Unknown(first);
            };
            let rows = &self.shape.rows[..];
            let most = (rows.len() + 1) * MAX_ARRIVALS;
            states.reserve(most * N);
            from.reserve(most);
            let last_from = from.as_mut_ptr().wrapping_add(from.capacity() - most);
            let last_state = states.as_mut_ptr().wrapping_add(states.capacity() - most * N).cast();
            let shape_bits = words[shape_word] & shape_mask;
            let Recall { spots, records, nodes, unknown, chosen, .. } = recall;
            let index = records.index();
            let Spots { quick, quick_choices, .. } = spots;
            let quick = &mut quick[..];
            let mut slow = Slow { index, nodes, quick_choices, chosen };
            let mut cursor: Cursor<N> = Cursor::new(states, from);
            for (origin, words) in origins.iter().enumerate().skip(first) {
                first = origin;
                if words[shape_word] & shape_mask != shape_bits
                    || cursor.from > last_from
                    || cursor.state > last_state
                {
                    break;
                }
                let (mut heads, mut expanded) = (Head::default(), Expanded::default());
                unknown.clear();
                // In the order of [`Worker::expand`]: the youngest first.
                let mut rest = rows.iter();
                while let Some(row) = rest.next_back() {
                    // SAFETY: the state has all words of its shape.
                    let spot = unsafe { row.spot_in(words) };
                    if let Some(quick) = quick.get_mut(spot)
                        && let record = quick.find_at_once(index, words, extract)
                        && record != 0
                    {
                        if N > 2 && record == NOTHING {
                            // Worth a branch, for copies of long states are not.
                            continue;
                        }
                        let head = index.head(record);
                        heads.join(head);
                        if head.is_unusual() {
                            head.add_to(&mut expanded);
                        }
                        // SAFETY: the record is about states of as many words, and there is room for it.
                        cursor = unsafe { cursor.add(index, record, head, words, origin as u32) };
                        continue;
                    }
                    if !slow.find(quick.get_mut(spot), words) {
                        unknown.push(rest.len());
                        continue;
                    }
                    // SAFETY: the same for each of these; together they have no more states than there is room for.
                    cursor = unsafe { slow.add(cursor, words, origin as u32, &mut heads, &mut expanded) };
                }
                let Expanded { deepest, atomic_steps, .. } = expanded;
                if heads.n_steps() == 0 || !unknown.is_empty() {
                    // SAFETY: nobody touched the lists.
                    unsafe { cursor.end(states, from) };
                    let has_steps = heads.n_steps() > 0;
                    return Recollected::Until(origin, Recollection { deepest, atomic_steps, has_steps });
                }
                if (deepest as u64) | atomic_steps != 0 {
                    note(origin, deepest, atomic_steps);
                }
                first = origin + 1;
            }
            // SAFETY: nobody touched the lists.
            unsafe { cursor.end(states, from) };
        }
        Recollected::All
    }
}

/// What is needed where a process has no single record that is found by its key.
struct Slow<'r> {
    index: Index<'r>,
    nodes: &'r [Node],
    quick_choices: &'r mut [Quick],
    /// The records that were found.
    chosen: &'r mut Vec<u32>,
}

impl Slow<'_> {
    /// Finds the record that the table of a spot does not know yet, or that in its tree, or the records of all choices of the process.
    /// False if not all are known.
    #[inline(never)]
    fn find<const N: usize>(&mut self, quick: Option<&mut Quick>, words: &[u64; N]) -> bool {
        self.chosen.clear();
        let Some(quick) = quick else { return false };
        let record = match quick.has_tree() {
            true => quick.find_in_tree(self.nodes, self.index, words),
            false => quick.enter(self.index, words),
        };
        if record != 0 {
            self.chosen.push(record);
            return true;
        }
        let choices = &mut self.quick_choices[quick.first_choice as usize..][..quick.n_choices as usize];
        let mut n_arrivals = 0;
        for choice in choices.iter_mut() {
            let record = choice.find(self.index, words);
            if record == 0 {
                return false;
            }
            n_arrivals += self.index.head(record).n_arrivals() as usize;
            self.chosen.push(record);
        }
        !self.chosen.is_empty() && n_arrivals <= MAX_ARRIVALS
    }

    /// Appends the states of the records that were found.
    ///
    /// # Safety
    /// See [`Cursor::add`].
    #[inline(never)]
    unsafe fn add<const N: usize>(
        &self,
        mut cursor: Cursor<N>,
        words: &[u64; N],
        origin: u32,
        heads: &mut Head,
        expanded: &mut Expanded,
    ) -> Cursor<N> {
        for record in self.chosen.iter() {
            let head = self.index.head(*record);
            heads.join(head);
            if head.is_unusual() {
                head.add_to(expanded);
            }
            // SAFETY: promised.
            cursor = unsafe { cursor.add(self.index, *record, head, words, origin) };
        }
        cursor
    }
}
