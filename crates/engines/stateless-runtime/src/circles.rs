//! Does a thread go round in circles?
//!
//! A thread that tries in vain or gives way, again and again at one place while nobody else moves, may be waiting for others: a loop around
//! `trylock`, or around `sched_yield`. If everything it can see is exactly what it was a round ago, each further round leads to the same state.
//! It is then held back until somebody else has moved, and nothing is lost. *Everything* is: its registers, all memory of its
//! process that can be written, and the objects modelled here; and it did nothing in between that leaves traces elsewhere. Only the time
//! may be later ([`Clock`]).
//!
//! If something differs, say a counter of tries, the rounds are different executions, and the thread goes on. Some loops would do so for ever, so
//! it is held back in the end all the same; that is counted, and the search is then not complete.

use core::ops::Range;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{
    Kind, NONE, ObjectKind, Operation, Outcome, REGION_ADDRESS, Region, Rounds, Thread, held, state,
};

use crate::callers::frame;
use crate::objects::{each_line, range_of};
use crate::page_map::{FROM_FILE, PAGE, PRESENT, PageMap, SWAPPED};
use crate::randomness::is_guarded;
use crate::real;
use crate::rewind;
use crate::schedule::is_enabled;
use crate::shadow;
use crate::sys;
use crate::thread::await_beginnings;
use crate::time::START;
use crate::token::{self, n_threads, region, set_me, thread};
use crate::unwind::{each_caller, own_code, own_memory};

/// Rounds of yields, which cost nothing, before a thread is held back though they differ.
const YIELDS: u32 = 1000;

/// Where [`kernel_words`] are in the record that the C library has of a thread; 0 if it has none.
static KERNEL_WORDS: AtomicUsize = AtomicUsize::new(0);

/// To be called with each operation before it is announced: is the thread to be held back?
#[inline(always)]
pub fn look(me: usize, operation: &Operation) {
    if operation.kind.is_memory() {
        return;
    }
    let slot = thread(me);
    slot.stack_pointer.store(program_stack(me) as u64, Relaxed);
    if operation.kind == Kind::Yield {
        polite(me, operation.place);
    }
    if is_on_trial(me) {
        slot.held.store(held::FREE, Relaxed);
        return;
    }
    let rounds = if operation.kind == Kind::Yield { &slot.yields } else { &slot.fruitless };
    // Of a wait with a time limit one step is compared with the same one a round ago: that in which the time may be up.
    let is_other_part =
        matches!(operation.kind, Kind::CondWait | Kind::CondReacquire | Kind::FutexWait | Kind::FutexResume);
    if !is_other_part && rounds.count.load(Relaxed) > 0 && rounds.place.load(Relaxed) == operation.place {
        compare(me, rounds, operation.kind == Kind::Yield);
    } else if slot.held.load(Relaxed) != held::FREE {
        slot.held.store(held::FREE, Relaxed);
    }
}

/// Counts a round that leads nowhere.
pub fn count(rounds: &Rounds, place: u64) {
    let is_same = rounds.place.swap(place, Relaxed) == place;
    if !is_same {
        rounds.forget();
    }
    rounds.count.fetch_add(1, Relaxed);
}

/// Prepares the unwinder: what it does when it is used for the first time is then done, before there are threads.
pub fn prepare() {
    registers();
    let place = real::find(c"__rseq_offset") as *const usize;
    if !place.is_null() {
        // SAFETY: it is a variable of the C library of this size.
        KERNEL_WORDS.store(unsafe { *place }, Relaxed);
    }
}

/// Somebody else has moved: whatever was compared is outdated.
pub fn forget(slot: &Thread) {
    slot.held.store(held::FREE, Relaxed);
    slot.alone.store(0, Relaxed);
    slot.fruitless.forget();
    slot.yields.forget();
}

/// Somebody else has moved, but only to wait as this one does: the rounds still count.
pub fn look_again(slot: &Thread) {
    slot.held.store(held::FREE, Relaxed);
    slot.fruitless.view.store(0, Relaxed);
    slot.fruitless.world.store(0, Relaxed);
}

#[cold]
fn compare(me: usize, rounds: &Rounds, yields: bool) {
    let view = view(me);
    let is_similar = rounds.view.swap(view, Relaxed) == view;
    // Yields cost nothing, so there is time to wait until it is worth a close look.
    let is_same = (is_similar || !yields) && {
        let world = world(me);
        rounds.world.swap(world, Relaxed) == world && is_similar
    };
    if !is_same {
        region().header.quiet.store(0, Relaxed);
    }
    let limit = if yields { YIELDS } else { region().header.retries.load(Relaxed) };
    let held = if is_same {
        held::REPEATS
    } else if rounds.count.load(Relaxed) >= limit {
        held::GIVEN_UP
    } else {
        held::FREE
    };
    thread(me).held.store(held, Relaxed);
}

/// Yields of one thread at one place, whoever moves, after which it is watched, and as often as it must then find everything unchanged.
const POLITE: u32 = 20;

/// A yield: are all threads only polite to each other? They move, but nothing ever changes.
fn polite(me: usize, place: u64) {
    let slot = thread(me);
    if slot.polite_place.swap(place, Relaxed) != place {
        slot.politeness.store(0, Relaxed);
        slot.unchanged.store(0, Relaxed);
        if is_on_trial(me) {
            end_trial();
        }
    } else if slot.politeness.fetch_add(1, Relaxed) >= POLITE {
        watch(me);
    }
}

#[cold]
fn watch(me: usize) {
    let slot = thread(me);
    let mut mixture = Mixture(view(me));
    mixture.add(world(me));
    let is_same = slot.scene.swap(mixture.0, Relaxed) == mixture.0;
    if is_on_trial(me) {
        arrive(me, is_same);
    } else if !is_same {
        // Looking is expensive: later again.
        slot.unchanged.store(0, Relaxed);
        slot.politeness.store(0, Relaxed);
    } else if slot.unchanged.fetch_add(1, Relaxed) >= POLITE && all_are_polite(me) {
        region().header.gave_up.store(1, Relaxed);
        take_turns(me);
    }
}

fn is_polite(number: usize) -> bool {
    thread(number).unchanged.load(Relaxed) > POLITE
}

fn can_move(number: usize) -> bool {
    let slot = thread(number);
    slot.state.load(Relaxed) == state::PENDING && is_enabled(number, &slot.operation.load())
}

fn all_are_polite(me: usize) -> bool {
    let others = || (0..n_threads()).filter(|number| *number != me);
    is_polite(me) && others().any(is_polite) && others().all(|other| !can_move(other) || is_polite(other))
}

// That nothing changed may be due to the schedule: two threads take one lock each, fail to get the other, and give back what they have, at the same
// time, again and again. Whoever goes alone gets both. So they are tried one after another, each until it yields again. It is a livelock if
// everybody comes back to where it was, and all has stayed as it was.

/// Turns of each, at most, before a trial has no result, and the steps of a turn.
const TURNS: usize = 5;
const STEPS: u32 = 2_000;

fn is_on_trial(me: usize) -> bool {
    region().header.trial.load(Relaxed) == me as u32 + 1
}

/// The thread that goes alone, if any does; it can move.
pub fn on_trial() -> Option<usize> {
    let header = &region().header;
    let number = (header.trial.load(Relaxed) as usize).checked_sub(1)?;
    if header.trial_steps.fetch_add(1, Relaxed) > STEPS || !is_polite(number) {
        end_trial();
    } else if !can_move(number) {
        take_turns(number);
    }
    (header.trial.load(Relaxed) as usize).checked_sub(1)
}

/// A thread that goes alone yields again.
fn arrive(me: usize, is_same: bool) {
    let unchanged = &region().header.trial_unchanged;
    if !is_same {
        unchanged.store(0, Relaxed);
    } else if unchanged.fetch_add(1, Relaxed) as usize
        >= 2 * (0..n_threads()).filter(|n| is_polite(*n)).count()
    {
        token::end(Outcome::Livelock, Some(me));
    }
    take_turns(me);
}

/// The next one who can move goes alone.
fn take_turns(last: usize) {
    let header = &region().header;
    let n_polite = (0..n_threads()).filter(|number| is_polite(*number)).count();
    let turns = header.trial_turns.fetch_add(1, Relaxed) as usize;
    // The one who decides this has not announced its operation yet.
    let is_ready = |number: &usize| {
        is_polite(*number) && (can_move(*number) || thread(*number).state.load(Relaxed) == state::RUNNING)
    };
    match (last + 1..n_threads()).chain(0..=last).find(is_ready) {
        Some(next) if turns < TURNS * n_polite => {
            header.trial.store(next as u32 + 1, Relaxed);
            header.trial_steps.store(0, Relaxed);
            thread(next).held.store(held::FREE, Relaxed);
        }
        _ => end_trial(),
    }
}

/// It has shown nothing, or that somebody gets on.
fn end_trial() {
    let header = &region().header;
    for counter in [&header.trial, &header.trial_turns, &header.trial_unchanged, &header.trial_steps] {
        counter.store(0, Relaxed);
    }
    for number in 0..n_threads() {
        thread(number).unchanged.store(0, Relaxed);
        thread(number).politeness.store(0, Relaxed);
    }
}

/// The time that passes while a thread gives way, beyond what it sleeps. Who does so again and again may be waiting for a time: it comes soon.
pub fn haste(me: usize) -> u64 {
    let slot = thread(me);
    let rounds = slot.yields.count.load(Relaxed).saturating_add(slot.alone.load(Relaxed));
    match rounds.saturating_sub(100) {
        0 => 0,
        late => 1000 << (late / 40).min(30),
    }
}

/// Can what an operation does be seen in the objects and in memory?
pub fn leaves_no_other_trace(kind: Kind) -> bool {
    use Kind::*;
    matches!(
        kind,
        Toss | Yield
            | Visible
            | MutexLock
            | MutexTrylock
            | MutexUnlock
            | SemWait
            | SemTrywait
            | SemPost
            | SemGetvalue
            | SetOperate
            | SetTry
            | SetRead
            | ReadLock
            | ReadTrylock
            | WriteLock
            | WriteTrylock
            | ReadUnlock
            | WriteUnlock
            | CondWait
            | CondReacquireTimed
            | FutexWait
            | FutexResumeTimed
            | MemoryRead
            | MemoryWrite
            | MemoryLoad
            | MemoryStore
            | MemoryUpdate
            | FileLook
    )
}

/// Mixes words into a number.
struct Mixture(u64);

impl Mixture {
    const NEW: Mixture = Mixture(0xcbf2_9ce4_8422_2325);

    fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }

    /// All words from one address to another.
    fn add_memory(&mut self, from: usize, to: usize) {
        let clock = Clock::now();
        let mut lanes = [self.0, !self.0, self.0 << 1, !self.0 << 1];
        let mut before = 0;
        for (number, address) in (from..to.saturating_sub(7)).step_by(8).enumerate() {
            // SAFETY: the caller knows that everything between the two can be read.
            let word = unsafe { *(address as *const u64) };
            let after = || {
                let is_last = address + 16 > to;
                // SAFETY: as above.
                if is_last { u64::MAX } else { unsafe { *((address + 8) as *const u64) } }
            };
            let lane = &mut lanes[number % 4];
            let seen = clock.relative(before, word, after);
            *lane = (*lane ^ seen).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
            before = word;
        }
        lanes.into_iter().for_each(|lane| self.add(lane));
    }
}

/// What time it is. A thread that waits with a time limit, again and again, is later each time, and so is each limit. As long as only that
/// differs, it goes round in circles all the same: so times count as what is left until then, or has passed since. They are recognised by
/// their size: each unit in which programs count has numbers that mean one of the first days of an execution, and hardly anything else. What is left is
/// exact: a second that began earlier is another one.
struct Clock {
    now: u64,
}

pub const SECOND: u64 = 1_000_000_000;

/// Times that are recognised: so much later than the beginning.
pub const RECOGNISED: u64 = SECOND << 20;

impl Clock {
    fn now() -> Clock {
        Clock { now: START + region().header.clock.load(Relaxed) }
    }

    /// A word, given those before and after it; if it is a time, or one of the two words of one, then compared with what time it is.
    #[inline(always)]
    fn relative(&self, before: u64, word: u64, after: impl Fn() -> u64) -> u64 {
        if word == 0 {
            return 0;
        }
        self.relative_time(before, word, after)
    }

    fn relative_time(&self, before: u64, word: u64, after: impl Fn() -> u64) -> u64 {
        for unit in [1, 1_000, 1_000_000] {
            if word.wrapping_sub(START / unit) < RECOGNISED / unit {
                return (word * unit).wrapping_sub(self.now);
            }
        }
        if is_seconds(word) {
            let rest = Some(after()).filter(|rest| *rest < SECOND);
            return (word * SECOND + rest.unwrap_or(0)).wrapping_sub(self.now);
        }
        if word < SECOND && is_seconds(before) {
            return 0;
        }
        let seconds = f64::from_bits(word);
        if is_seconds(seconds as u64) {
            return ((seconds * SECOND as f64) as u64).wrapping_sub(self.now);
        }
        // Two short words, unless it is chance that they look so: that is not rare, of all short words one in 4096 does.
        let is_short = is_seconds(word >> 32) || is_seconds(word & 0xffff_ffff);
        if is_short && is_guarded(word) {
            return word;
        }
        let short = |half: u64| match is_seconds(half) {
            true => (half * SECOND).wrapping_sub(self.now),
            false => half,
        };
        short(word >> 32).rotate_left(32) ^ short(word & 0xffff_ffff)
    }
}

fn is_seconds(word: u64) -> bool {
    word.wrapping_sub(START / SECOND) < RECOGNISED / SECOND
}

/// The registers that a function must leave as they were: rbx, rbp, r12 to r15.
const KEPT: [i32; 6] = [3, 6, 12, 13, 14, 15];

/// What the program has in them.
fn registers() -> [usize; KEPT.len()] {
    let mut registers = [0; KEPT.len()];
    each_caller(&mut |caller| {
        let is_own = own_code().contains(&caller.address().0);
        if !is_own {
            registers = KEPT.map(|register| caller.register(register));
        }
        is_own
    });
    registers
}

/// Where the program's part of the stack ends that called into this library.
#[inline(always)]
fn program_stack(me: usize) -> usize {
    let top = thread(me).stack_top.load(Relaxed) as usize;
    let mut frame = frame();
    loop {
        // SAFETY: this library is compiled with frame pointers, so they lead from frame to frame; see below for where they end.
        let (next, caller) = unsafe { (*(frame as *const usize), *((frame + 8) as *const usize)) };
        if !own_code().contains(&caller) || !is_frame_above(frame, next, top) {
            return frame + 16;
        }
        frame = next;
    }
}

/// Can this be the frame of the function that called the one with the other frame? Hooks (`hooks.rs`) have no frame of their own: what is in the
/// register there is the program's, which may use it for anything.
fn is_frame_above(frame: usize, next: usize, top: usize) -> bool {
    /// No function of this library needs more of the stack.
    const MOST: usize = 1 << 16;
    let is_near = next.is_multiple_of(8) && next > frame && next - frame < MOST;
    // A thread may be on another stack than the one it began with.
    is_near && (next < top || frame >= top)
}

/// What a thread has in its registers and on its stack.
fn view(me: usize) -> u64 {
    let mut mixture = Mixture::NEW;
    // What the unwinder does is not the program's doing.
    set_me(NONE);
    let clock = Clock::now();
    for register in registers() {
        mixture.add(clock.relative(0, register as u64, || u64::MAX));
    }
    set_me(me as u32);
    let slot = thread(me);
    let (from, to) = (slot.stack_pointer.load(Relaxed) as usize, slot.stack_top.load(Relaxed) as usize);
    mixture.add_memory(from, to.max(from));
    mixture.add(u64::from(slot.deeds.load(Relaxed)));
    mixture.0
}

/// All that the threads of this process can see: memory and objects.
fn world(me: usize) -> u64 {
    await_beginnings();
    let mut mixture = Mixture::NEW;
    each_writable(|mapping| mapping.add_to(&mut mixture, me));
    let region = region();
    mixture.add(region.header.random.load(Relaxed));
    for object in region.objects.iter().take(region.header.n_objects.load(Relaxed) as usize + 1) {
        let words = [
            u64::from(object.kind.load(Relaxed)) | u64::from(object.flavour.load(Relaxed)) << 8,
            u64::from(object.owner.load(Relaxed)) << 32 | u64::from(object.count.load(Relaxed) as u32),
            u64::from(object.extra.load(Relaxed)),
        ];
        words.into_iter().for_each(|word| mixture.add(word));
        if object.kind.load(Relaxed) == ObjectKind::Set as u8 {
            let first = object.list.load(Relaxed) as usize;
            for word in region.pool.iter().skip(first).take(object.length.load(Relaxed) as usize) {
                mixture.add(u64::from(word.load(Relaxed)));
            }
        }
    }
    mixture.0
}

/// Memory of this process that can be written.
struct Mapping<'a> {
    start: usize,
    end: usize,
    is_shared: bool,
    pages: &'a PageMap,
}

impl Mapping<'_> {
    fn add_to(&self, mixture: &mut Mixture, me: usize) {
        const AT_ONCE: usize = 512;
        let mut entries = [0_u64; AT_ONCE];
        let mut page = self.start;
        while page < self.end {
            let count = AT_ONCE.min((self.end - page) / PAGE);
            if !self.pages.read(page, &mut entries[..count]) {
                // Nothing can be said: no two looks are the same.
                mixture.add(region().header.heartbeat.fetch_add(1, Relaxed));
                return;
            }
            for entry in &entries[..count] {
                if self.has_content(*entry) {
                    self.add_page(mixture, page, me);
                }
                page += PAGE;
            }
        }
    }

    /// Was a page ever written? What was not has the contents of a file, or is zero.
    fn has_content(&self, entry: u64) -> bool {
        entry & (PRESENT | SWAPPED) != 0 && (self.is_shared || entry & FROM_FILE == 0)
    }

    /// A page, without what is below the end of a stack.
    fn add_page(&self, mixture: &mut Mixture, page: usize, me: usize) {
        let mut from = page;
        for number in neighbours(me) {
            let slot = thread(number);
            let pointer = slot.stack_pointer.load(Relaxed) as usize;
            let is_unused = (self.start..self.end).contains(&pointer)
                && slot.stack_top.load(Relaxed) as usize > pointer
                && !is_stack_between(me, page, pointer);
            if is_unused && from < pointer {
                from = pointer.min(page + PAGE);
            }
        }
        let before = mixture.0;
        mixture.add(page as u64);
        let mut is_zero = true;
        while let Some(left_out) = kernel_words(me)
            .filter(|words| (from..page + PAGE).contains(&words.start))
            .min_by_key(|words| words.start)
        {
            is_zero &= add_unless_zero(mixture, from, left_out.start);
            from = left_out.end.min(page + PAGE);
        }
        is_zero &= add_unless_zero(mixture, from, page + PAGE);
        if is_zero {
            mixture.0 = before;
        }
    }
}

/// The threads of the same process.
fn neighbours(me: usize) -> impl Iterator<Item = usize> {
    let process = thread(me).process.load(Relaxed);
    (0..n_threads()).filter(move |number| {
        let slot = thread(*number);
        slot.process.load(Relaxed) == process
            && matches!(slot.state.load(Relaxed), state::PENDING | state::RUNNING)
    })
}

/// Where the kernel tells threads on which processor they run, and more that is none of the program's doing.
fn kernel_words(me: usize) -> impl Iterator<Item = Range<usize>> {
    const SIZE: usize = 32;
    let offset = KERNEL_WORDS.load(Relaxed);
    let handles = neighbours(me).map(|number| thread(number).handle.load(Relaxed) as usize);
    handles.filter(move |_| offset != 0).map(move |handle| {
        let start = handle.wrapping_add(offset);
        start..start + SIZE
    })
}

/// Does the stack of some thread begin between two addresses?
fn is_stack_between(me: usize, low: usize, high: usize) -> bool {
    neighbours(me).any(|number| {
        let top = thread(number).stack_top.load(Relaxed) as usize;
        low < top && top < high
    })
}

/// Pages of zeros count as if they were not there. Were there only zeros?
fn add_unless_zero(mixture: &mut Mixture, from: usize, to: usize) -> bool {
    let is_zero = (from..to).step_by(8).all(|address| {
        // SAFETY: the page is there, and the addresses are multiples of eight.
        unsafe { *(address as *const u64) == 0 }
    });
    if !is_zero {
        mixture.add_memory(from, to);
    }
    is_zero
}

/// Reads `/proc/self/maps`, without what belongs to this library.
fn each_writable(mut visit: impl FnMut(&Mapping)) {
    let maps = sys::unchecked(sys::OPEN, c"/proc/self/maps".as_ptr() as usize, 0, 0, 0, 0, 0);
    if maps < 0 {
        return;
    }
    if let Some(pages) = PageMap::open() {
        each_line(maps as usize, |line| {
            if let Some(mapping) = writable(line, &pages) {
                visit(&mapping);
            }
        });
    }
    sys::unchecked(sys::CLOSE, maps as usize, 0, 0, 0, 0, 0);
}

/// `start-end perms ...`, if it is memory of the program that can be written.
fn writable<'a>(line: &[u8], pages: &'a PageMap) -> Option<Mapping<'a>> {
    let (start, end, rights) = range_of(line)?;
    let own = own_memory();
    let is_ours = start < own.end && own.start < end
        || (REGION_ADDRESS..REGION_ADDRESS + size_of::<Region>()).contains(&start)
        || start == shadow::ARENA
        || start == rewind::AREA;
    (rights.get(1) == Some(&b'w') && !is_ours).then_some(Mapping {
        start,
        end,
        is_shared: rights.get(3) == Some(&b's'),
        pages,
    })
}
