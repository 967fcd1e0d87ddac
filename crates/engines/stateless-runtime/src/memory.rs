//! Accesses to memory, announced by the compiler (`-fsanitize=thread`).
//!
//! Every access is compared with earlier ones to the same bytes. If nothing orders two of different threads, that is a data race, and the granule is
//! promoted: in the executions to come, accesses to it are visible operations. Atomic variables are promoted when two threads
//! touch them. Everything else stays invisible; it cannot make a difference.
//!
//! A thread that reads the same again and again, while nobody writes it and it does nothing else, is *repeating itself*: its registers and its
//! stack are what they were at an earlier read at the same place. It is not enabled until something it has read since then changes.

use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{
    Kind, Limit, ObjectKind, Operation, Outcome, PROMOTED, Race, RacingAccess, is_memory_key, limits, state,
};

use crate::bounds;
use crate::clocks;
use crate::heap;
use crate::hooks;
use crate::image::{has_silent_code, is_program, may_be_silent};
use crate::objects::{at, is_shared, object, reserve};
use crate::schedule::before;
use crate::shadow::{self, Cell, Granule, known};
use crate::token::{
    controlled, end, end_at_limit, is_concurrent, my_process, n_processes, n_threads, region, remark, thread,
};
use crate::unmapped;

/// Are accesses looked at?
static IS_ACTIVE: AtomicBool = AtomicBool::new(false);

#[inline]
pub fn is_active() -> bool {
    IS_ACTIVE.load(Relaxed)
}

/// The thread whose accesses count: more than one must exist.
#[inline]
pub fn watched() -> Option<usize> {
    if !is_active() || !is_concurrent() {
        return None;
    }
    controlled()
}

/// A function of a library is called: does it count what it does to memory? Also a thread that is
/// alone can leave its blocks.
#[inline]
pub fn watched_call() -> bool {
    match watched() {
        Some(me) => own(me).part = 0,
        None => return is_active() && controlled().is_some(),
    }
    true
}

/// Registers and stack of the caller of a hook: six saved registers, the return address, the caller's stack.
pub type Frame = *const u64;

#[inline]
pub fn place_of(frame: Frame) -> u64 {
    // SAFETY: the hook that passes it has stored the registers below its return address.
    unsafe { *frame.add(6) }
}

/// A read that a thread made.
#[derive(Clone, Copy)]
struct Visit {
    place: u64,
    object: u32,
    version: i32,
    /// Of registers and stack.
    state: u64,
    /// What else the thread had done.
    effects: u64,
}

const VISITS: usize = 16;

/// What is kept for each thread.
#[derive(Clone, Copy)]
struct Own {
    /// The end of what the program uses of the stack.
    stack_end: usize,
    /// The end of its thread-local variables, which are behind its stack.
    variables_end: usize,
    /// Does the C library keep its stack when it has ended?
    has_usual_stack: bool,
    /// Counts everything the thread does that is more than looking.
    effects: u64,
    /// The last reads; the next goes to `n_visits % VISITS`.
    visits: [Visit; VISITS],
    n_visits: usize,
    /// Reads of the same in a row that differ in registers or stack only.
    stubborn: u32,
    /// Room in the pool for what the thread waits for.
    list: u32,
    /// Registers and stack at the last atomic update.
    state: u64,
    idle: Idle,
    /// Accesses since it did anything visible.
    run: u32,
    /// Counts what the last function of a library that it called does. What such a function reads twice is not read anew, though registers and stack of the
    /// program are the same.
    part: u64,
}

/// A thread that only looks, at memory which is not visible.
#[derive(Clone, Copy)]
struct Idle {
    /// Reads since it did anything else.
    reads: u32,
    /// How often it was watched in vain.
    rounds: u32,
    /// Where it is watched from.
    place: u64,
    address: usize,
    state: u64,
    /// The granules that it read since then, with [`OWN_STACK`] if they are on its own stack; 0 where there is none.
    recent: [usize; WATCHED],
}

/// The stack of a thread is a part of its state. Still, others may change what is there, if they were told where it is.
const OWN_STACK: usize = 1;

/// How the granule of an address is remembered.
fn granule_of(me: usize, address: usize, frame: Frame) -> usize {
    let is_own = (frame as usize..own(me).stack_end).contains(&address);
    address & !7 | if is_own { OWN_STACK } else { 0 }
}

/// So many reads in a row are no reason to watch a thread.
const IDLE_AFTER: u32 = 1 << 10;
/// So many reads in a row are watched.
const WATCHED: usize = 64;
/// So often a thread is watched before it is thought to wait, though it does not exactly repeat itself.
const IDLE_ROUNDS: u32 = 1000;
/// As long as it looks at no more places than this.
const IDLE_PLACES: usize = 4;

/// So many accesses without anything visible, and others would never have their turn: some of what the thread touches is promoted. It takes
/// seconds to get so far.
const LONG_RUN: u32 = 100_000_000;
/// So many accesses are then looked at.
const RUN_WATCHED: u32 = 4096;

const NO_VISIT: Visit = Visit { place: 0, object: 0, version: 0, state: 0, effects: 0 };
const NOTHING: Own = Own {
    stack_end: 0,
    variables_end: 0,
    has_usual_stack: false,
    effects: 0,
    visits: [NO_VISIT; VISITS],
    n_visits: 0,
    stubborn: 0,
    list: 0,
    state: 0,
    idle: NOT_IDLE,
    run: 0,
    part: 0,
};
const NOT_IDLE: Idle = Idle { reads: 0, rounds: 0, place: 0, address: 0, state: 0, recent: [0; WATCHED] };

struct Threads(core::cell::UnsafeCell<[Own; limits::THREADS]>);

// SAFETY: only the thread with the token touches them.
unsafe impl Sync for Threads {}

static THREADS: Threads = Threads(core::cell::UnsafeCell::new([NOTHING; limits::THREADS]));

fn own(me: usize) -> &'static mut Own {
    // SAFETY: see `Threads`.
    unsafe { &mut (*THREADS.0.get())[me] }
}

unsafe extern "C" {
    fn mallopt(parameter: i32, value: i32) -> i32;
}

const M_ARENA_MAX: i32 = -8;

/// Before the program begins: what was promoted is visible from the start.
pub fn begin(stack_end: usize) {
    let memory = &region().memory;
    if memory.is_visible.load(Relaxed) == 0 {
        return;
    }
    if !shadow::map(clocks::SIZE + bounds::SIZE) {
        end_at_limit(Limit::WatchedMemory, 0, None);
    }
    // SAFETY: it has no conditions. One heap for all threads, so that addresses depend on the order of the calls alone.
    unsafe { mallopt(M_ARENA_MAX, 1) };
    for address in memory.promoted().filter(|key| is_memory_key(*key)) {
        shadow::granule(address as usize).flags |= shadow::VISIBLE;
    }
    clocks::begin(0);
    own(0).stack_end = stack_end;
    if !hooks::is_instrumented() {
        remark(&[b"the program does not announce its accesses to memory: it must be compiled with -fsanitize=thread and \
            must not contain a runtime for that itself"]);
    }
    heap::begin();
    IS_ACTIVE.store(true, Relaxed);
}

/// A thread was made.
pub fn created(me: usize, new: usize) {
    if is_active() {
        *own(new) = Own { effects: own(new).effects + 1, ..NOTHING };
        clocks::created(me, new);
    }
}

/// How much of a new stack is taken to be used before.
const USED_STACK: usize = 1 << 20;

/// A new thread begins to run. Its stack and its thread-local variables, which are above, may have been another's.
pub fn started(me: usize, stack_end: usize, thread_pointer: usize) {
    if !is_active() {
        return;
    }
    bounds::is_reused(stack_end.saturating_sub(USED_STACK), USED_STACK);
    own(me).stack_end = stack_end;
    let lowest = stack_end.saturating_sub(USED_STACK);
    let highest =
        if thread_pointer.wrapping_sub(stack_end) < USED_STACK { thread_pointer } else { stack_end };
    own(me).variables_end = highest;
    known(lowest, highest - lowest, |_, granule| granule.forget());
}

/// A thread was made, with a stack of the C library or with one of its own.
pub fn has_stack(number: usize, is_usual: bool) {
    if is_active() {
        own(number).has_usual_stack = is_usual;
    }
}

/// A thread is over: its stack must not be used any more, nor its thread-local variables.
pub fn stack_ends(me: usize) {
    if is_active() && own(me).has_usual_stack {
        bounds::stack_is_dead(me, own(me).stack_end, own(me).variables_end);
    }
}

/// In a new process.
pub fn forked(me: usize, forked: usize) {
    if is_active() {
        clocks::forked(forked);
        *own(forked) = *own(me);
        own(forked).list = 0;
    }
}

/// A thread is about to perform an operation of any kind.
pub fn performs(me: usize, operation: &Operation) {
    if operation.kind.is_memory() {
        return;
    }
    clocks::synchronise(me, operation);
    for number in [operation.object, operation.other] {
        uses(me, number, operation.place);
    }
    own(me).run = 0;
    if operation.kind != Kind::Yield {
        effect(me);
    }
}

/// Is a lock or the like in memory that was given back? Who is woken by a futex may give it back before; that harms nobody.
fn uses(me: usize, number: u32, place: u64) {
    use ObjectKind::*;
    let used = object(number);
    let kind = ObjectKind::from_number(used.kind.load(Relaxed));
    let is_own = used.space.load(Relaxed) == my_process() as u32 + 1;
    if number == 0 || !is_own || !matches!(kind, Mutex | Cond | Semaphore | Rwlock | Spin | Barrier) {
        return;
    }
    let address = used.address.load(Relaxed) as usize;
    if let Some(earlier) = given_back_at(address).or_else(|| given_back_around(me, address)) {
        report(me, address, shadow::granule(address), earlier, 0, place);
    }
}

/// Who gave back the granule at an address, if it is remembered there.
fn given_back_at(address: usize) -> Option<Cell> {
    let mut gone = None;
    known(address, 1, |_, granule| {
        granule.each(|cell| gone = gone.or((cell.how() & shadow::FREE != 0).then_some(*cell)));
    });
    gone
}

/// Who gave it back, if that is not remembered for each granule: memory that is not there any more,
/// and what is far from the beginning of a block.
#[inline]
fn given_back_around(me: usize, address: usize) -> Option<Cell> {
    unmapped::at(me, address).or_else(|| bounds::block_of_far_part(address).and_then(given_back_at))
}

/// Is there nothing at an address where something was until another thread took it away? To be asked
/// before this library reads there what has not been announced yet.
pub fn is_unmapped(address: usize) -> bool {
    watched().is_some_and(|me| unmapped::at(me, address).is_some())
}

/// An access that is noted when it is done is about to be made. If nothing is there, it never will be
/// done.
pub fn is_about_to(me: usize, address: usize, mask: u8, how: u64, place: u64) {
    if unmapped::at(me, address).is_some() {
        compare(me, address, shadow::granule(address), mask, how, place);
    }
}

/// A thread did more than look.
pub fn effect(me: usize) {
    let own = own(me);
    own.effects += 1;
    own.idle.reads = 0;
    own.idle.rounds = 0;
}

/// Counts an access that is not visible.
#[inline]
fn runs(me: usize, address: usize, frame: Frame) {
    let own = own(me);
    own.run += 1;
    if own.run > LONG_RUN {
        runs_long(me, address, frame);
    }
}

#[cold]
fn runs_long(me: usize, address: usize, frame: Frame) {
    let own = own(me);
    let position = own.run - LONG_RUN;
    if position == 1 {
        own.idle = NOT_IDLE;
    }
    let granule = granule_of(me, address, frame);
    let recent = &mut own.idle.recent;
    // Who works on its own stack for long computes something.
    if granule & OWN_STACK == 0
        && !recent.contains(&granule)
        && let Some(free) = recent.iter_mut().find(|place| **place == 0)
    {
        *free = granule;
    }
    if position == RUN_WATCHED {
        own.run = 0;
        if own.idle.recent[0] != 0 {
            promote_recent(me, WATCHED);
        }
    }
}

/// A thread looked at memory that is not visible.
#[inline]
pub fn looked_privately(me: usize, address: usize, frame: Frame) {
    let idle = &mut own(me).idle;
    idle.reads += 1;
    if idle.reads >= IDLE_AFTER {
        watch(me, address, frame);
    }
}

/// Does a thread wait for something to change that is not visible? Then it would never let the others go on: what it looks at is promoted.
#[cold]
fn watch(me: usize, address: usize, frame: Frame) {
    let position = (own(me).idle.reads - IDLE_AFTER) as usize;
    let idle = &mut own(me).idle;
    if position == 0 {
        (idle.place, idle.address) = (place_of(frame), address);
        idle.state = state_of(me, frame);
    } else if idle.place == place_of(frame) && idle.address == address && idle.state == state_of(me, frame) {
        promote_recent(me, position);
    }
    idle.recent[position] = granule_of(me, address, frame);
    if position + 1 == WATCHED {
        idle.reads = 0;
        idle.rounds += 1;
        let is_first = |number: &usize| !idle.recent[..*number].contains(&idle.recent[*number]);
        if idle.rounds > IDLE_ROUNDS && (0..WATCHED).filter(is_first).count() <= IDLE_PLACES {
            promote_recent(me, WATCHED);
        }
    }
}

/// The execution ends here; the next one will be wiser. What is on the thread's own stack is promoted only if it looked at nothing else, and
/// of that only what is atomic, if anything is: the rest may be what it keeps there in each round.
fn promote_recent(me: usize, count: usize) -> ! {
    let recent = || own(me).idle.recent[..count].iter().copied().filter(|granule| *granule != 0);
    let rank = |granule: usize| match granule & OWN_STACK {
        0 => 0,
        _ if shadow::granule(granule).flags >= shadow::ATOMIC_OWNER => 1,
        _ => 2,
    };
    let first = recent().map(rank).min();
    for granule in recent().filter(|granule| Some(rank(*granule)) == first) {
        promote(shadow::granule(granule), granule);
    }
    end(Outcome::Cut, Some(me))
}

/// The same, by whoever runs.
pub fn has_effect() {
    if let Some(me) = watched() {
        effect(me);
    }
}

/// An access to at most sixteen bytes in at most two granules.
#[inline]
pub fn access(address: usize, size: usize, is_write: bool, frame: Frame) {
    if is_active() {
        bounds::look(address, size, frame);
    }
    if let Some(me) = watched() {
        accessed(me, address, size, is_write, frame);
    }
}

/// The same, of which it is known that it may touch what is there.
#[inline]
fn accessed(me: usize, address: usize, size: usize, is_write: bool, frame: Frame) {
    let first = (address & 7, size.min(8 - (address & 7)));
    let mask = (((1_u16 << first.1) - 1) << first.0) as u8;
    let how = if is_write { shadow::WRITE } else { 0 };
    let granule = shadow::granule(address);
    if first.1 == size && !is_visible(granule, address) {
        runs(me, address, frame);
        if is_write {
            wrote_privately(me, address, frame);
        } else {
            looked_privately(me, address, frame);
        }
        // By far the most common case: the same again, with no synchronisation in between.
        let clock = clocks::own(me)[me];
        let head = granule.head.word;
        if head == Cell::word(clock, me, mask, how) || head == Cell::word(clock, me, mask, shadow::WRITE) {
            return;
        }
        return compare(me, address, granule, mask, how, place_of(frame));
    }
    wide(me, address, size, mask, how, frame);
}

/// Visible, or in more than one granule.
#[inline(never)]
fn wide(me: usize, address: usize, size: usize, mask: u8, how: u64, frame: Frame) {
    let in_first = size.min(8 - (address & 7));
    let next = (address & !7) + 8;
    let rest = (size - in_first).min(8);
    let rest_mask = ((1_u16 << rest) - 1) as u8;
    let sees_first = is_visible(shadow::granule(address), address);
    let sees_next = rest != 0 && is_visible(shadow::granule(next), next);
    if sees_first || sees_next {
        let kind = if how & shadow::WRITE != 0 { Kind::MemoryWrite } else { Kind::MemoryRead };
        let parts = [
            if sees_first { (address & !7, mask) } else { (0, 0) },
            if sees_next { (next, rest_mask) } else { (0, 0) },
        ];
        announce(me, kind, parts, frame);
    } else if how & shadow::WRITE != 0 {
        wrote_privately(me, address, frame);
    }
    compare(me, address, shadow::granule(address), mask, how, place_of(frame));
    if rest != 0 {
        compare(me, next, shadow::granule(next), rest_mask, how, place_of(frame));
    }
    if in_first + rest < size {
        range(next + 8, size - in_first - rest, how & shadow::WRITE != 0, frame);
    }
}

/// An access to any number of bytes, a granule at a time.
pub fn range(address: usize, size: usize, is_write: bool, frame: Frame) {
    if is_active() {
        bounds::look_at_range(address, size, frame);
    }
    let Some(me) = watched() else { return };
    own(me).part += 1;
    let end = address + size;
    let mut from = address;
    while from < end {
        let to = end.min((from & !7) + 8);
        accessed(me, from, to - from, is_write, frame);
        from = to;
    }
}

/// Announces that visible bytes may be written, by a function that does so at once; which were is told afterwards: see [`note_writes`].
pub fn expect_writes(address: usize, size: usize, frame: Frame) {
    let Some(me) = watched() else { return };
    if n_processes() > 1 && is_shared(address) {
        let granules = (address & !7..address + size).step_by(8);
        granules.for_each(|granule| announce(me, Kind::MemoryWrite, [(granule, 0xff), (0, 0)], frame));
    } else {
        announce_writes(me, address, size, frame);
    }
}

/// A function of the C library reads what is the library's own, and goes back to the heap one day.
pub fn is_read(address: usize, place: u64) {
    if let Some(me) = watched() {
        compare(me, address, shadow::granule(address), 0xff, 0, place);
    }
}

/// Notes bytes that were written, for races.
pub fn note_writes(address: usize, size: usize, frame: Frame) {
    if is_active() {
        bounds::look_at_range(address, size, frame);
    }
    let Some(me) = watched() else { return };
    effect(me);
    let end = address + size;
    let mut from = address;
    while from < end {
        let to = end.min((from & !7) + 8);
        let mask = (((1_u16 << (to - from)) - 1) << (from & 7)) as u8;
        compare(me, from, shadow::granule(from), mask, shadow::WRITE, place_of(frame));
        from = to;
    }
}

/// Is any of these bytes visible?
pub fn has_visible(address: usize, size: usize) -> bool {
    let mut has = n_processes() > 1 && is_shared(address);
    known(address, size, |_, granule| has |= granule.flags & shadow::VISIBLE != 0);
    has
}

/// The object that an address is in, if accesses to it are steps.
pub fn visible_at(address: usize) -> Option<u32> {
    let is_visible = watched().is_some() && has_visible(address, 1);
    is_visible.then(|| at(ObjectKind::Memory, address & !7, |_| ()))
}

/// Something was written for the thread that nobody else looks at.
pub fn wrote(address: usize, frame: Frame) {
    if let Some(me) = watched() {
        wrote_privately(me, address, frame);
    }
}

/// A write to the thread's own stack is seen in its state; any other is something that it did.
#[inline]
fn wrote_privately(me: usize, address: usize, frame: Frame) {
    let own = own(me);
    if address < frame as usize || address >= own.stack_end {
        own.effects += 1;
        own.idle.reads = 0;
    }
}

/// What several processes share is always visible.
#[inline]
pub fn is_visible(granule: &Granule, address: usize) -> bool {
    granule.flags & shadow::VISIBLE != 0 || n_processes() > 1 && is_shared(address)
}

/// Announces a visible access to one or two granules and waits for this thread's turn.
pub fn announce(me: usize, kind: Kind, parts: [(usize, u8); 2], frame: Frame) {
    let parts = if parts[0].1 == 0 { [parts[1], parts[0]] } else { parts };
    let number = |part: (usize, u8)| if part.1 == 0 { 0 } else { at(ObjectKind::Memory, part.0, |_| ()) };
    let mut operation = Operation {
        kind,
        object: number(parts[0]),
        other: number(parts[1]),
        argument: u64::from(parts[0].1) | u64::from(parts[1].1) << 8,
        place: place_of(frame),
        ..Operation::default()
    };
    thread(me).stack_pointer.store(frame as u64, Relaxed);
    let reads =
        matches!(kind, Kind::MemoryRead | Kind::MemoryLoad | Kind::MemoryUpdate) && operation.other == 0;
    let state = if reads { state_of(me, frame) ^ own(me).part } else { 0 };
    own(me).idle.reads = 0;
    own(me).run = 0;
    if reads {
        wait_for_change(me, &mut operation, state);
    }
    before(me, operation);
    match kind {
        Kind::MemoryRead | Kind::MemoryLoad if reads => looked(me, operation.object, operation.place, state),
        Kind::MemoryRead | Kind::MemoryLoad => {}
        // Whether it changes anything is known when it is done.
        Kind::MemoryUpdate => own(me).state = state,
        _ => {
            for object in [operation.object, operation.other] {
                changed(me, object);
            }
        }
    }
}

/// An atomic read and write is done; was the value changed?
pub fn updated(me: usize, address: usize, place: u64, is_changed: bool) {
    let object = at(ObjectKind::Memory, address & !7, |_| ());
    if is_changed {
        return changed(me, object);
    }
    looked(me, object, place, own(me).state);
    // To others it was a read.
    let events = region().header.n_events.load(Relaxed) as usize;
    if is_concurrent() && events > 0 {
        let event = &region().events[events - 1];
        let operation = event.operation.load();
        if operation.kind == Kind::MemoryUpdate && operation.object == object {
            event.operation.store(&Operation { kind: Kind::MemoryLoad, ..operation });
        }
    }
}

/// A new version of a granule.
fn changed(me: usize, number: u32) {
    effect(me);
    if number != 0 {
        object(number).count.fetch_add(1, Relaxed);
    }
}

/// Notes a read.
fn looked(me: usize, number: u32, place: u64, state: u64) {
    let own = own(me);
    let version = object(number).count.load(Relaxed);
    own.visits[own.n_visits % VISITS] = Visit { place, object: number, version, state, effects: own.effects };
    own.n_visits += 1;
}

/// Words of the stack that are compared at most. If there are more, nothing is ever the same.
const STACK_WORDS: usize = 1 << 16;

/// A number for the registers and the stack.
fn state_of(me: usize, frame: Frame) -> u64 {
    let available = own(me).stack_end.saturating_sub(frame as usize) / 8;
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    if available > STACK_WORDS {
        return hash ^ region().header.heartbeat.fetch_add(1, Relaxed);
    }
    for position in 0..available {
        // SAFETY: between the frame and the end of the stack everything is mapped.
        let word = unsafe { *frame.add(position) };
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    hash
}

/// Set in the argument of a read of a thread that seems to repeat itself: it goes on if nobody else can.
const STUBBORN: u64 = 1 << 63;

/// So many reads of the same make a thread stubborn.
const STUBBORN_AFTER: u32 = 64;

/// If the thread repeats itself, the operation gets the list of what must change.
fn wait_for_change(me: usize, operation: &mut Operation, state: u64) {
    let own = own(me);
    let mut is_similar = false;
    for back in 1..=own.n_visits.min(VISITS) {
        let visit = own.visits[(own.n_visits - back) % VISITS];
        if visit.effects != own.effects || object(visit.object).count.load(Relaxed) != visit.version {
            break;
        }
        if visit.place == operation.place && visit.object == operation.object {
            if visit.state == state {
                return list_visits(me, operation, back);
            }
            is_similar = true;
        }
    }
    own.stubborn = if is_similar { own.stubborn + 1 } else { 0 };
    if own.stubborn > STUBBORN_AFTER {
        operation.argument |= STUBBORN;
        list_visits(me, operation, 1);
    }
}

fn list_visits(me: usize, operation: &mut Operation, count: usize) {
    let own = own(me);
    if own.list == 0 {
        // Never at the beginning: 0 is no list.
        own.list = reserve(VISITS * 2 + 2) + 2;
    }
    for back in 1..=count {
        let visit = own.visits[(own.n_visits - back) % VISITS];
        let at = own.list as usize + (back - 1) * 2;
        region().pool[at].store(visit.object, Relaxed);
        region().pool[at + 1].store(visit.version as u32, Relaxed);
    }
    operation.list = own.list / 2;
    operation.length = count as u32;
}

/// Would the thread only repeat itself?
fn repeats(operation: &Operation) -> bool {
    operation.length != 0
        && (operation.list..operation.list + operation.length).all(|at| {
            let read = region().semop(at);
            object(read.index).count.load(Relaxed) == read.change
        })
}

/// Can an access be performed?
pub fn is_enabled(operation: &Operation) -> bool {
    operation.argument & STUBBORN != 0 || !repeats(operation)
}

/// Should others go first?
pub fn is_stubborn(operation: &Operation) -> bool {
    operation.kind.is_memory() && operation.argument & STUBBORN != 0 && repeats(operation)
}

/// A thread that waits for a change that nobody makes.
pub fn spins(number: usize) -> bool {
    let operation = thread(number).operation.load();
    operation.kind.is_memory() && repeats(&operation)
}

/// Compares an access with earlier ones, and notes it.
pub fn compare(me: usize, address: usize, granule: &mut Granule, mask: u8, how: u64, place: u64) {
    let clock = clocks::own(me);
    let mut race = given_back_around(me, address);
    granule.each(|cell| {
        if cell.mask() & mask == 0 {
            return;
        }
        let is_inside = cell.mask() & !mask == 0;
        let is_known = cell.thread() == me || cell.clock() <= clock[cell.thread()];
        let conflicts = (cell.how() | how) & shadow::WRITE != 0 && cell.how() & how & shadow::ATOMIC == 0;
        // What was given back must not be touched, whatever the order.
        let is_gone = cell.how() & shadow::FREE != 0;
        if conflicts && !is_known || is_gone {
            race = race.or(Some(*cell));
        }
        // Whatever conflicts with it, conflicts with the new one.
        let is_covered = how & shadow::WRITE != 0 && how & shadow::ATOMIC == 0
            || cell.how() & !shadow::ATOMIC & !how == 0
                && (how & shadow::ATOMIC == 0 || cell.how() & shadow::ATOMIC != 0);
        if is_known && is_inside && is_covered && !is_gone {
            cell.word = 0;
        }
    });
    granule.add(Cell { word: Cell::word(clock[me], me, mask, how), place });
    if let Some(earlier) = race {
        report(me, address, granule, earlier, how, place);
    }
    let is_of_processes = n_processes() > 1 && is_shared(address);
    if is_of_processes || granule.flags & shadow::VISIBLE != 0 && has_silent_code() {
        report_meeting(me, address, mask, how, place);
    }
}

/// Where something may order accesses that nobody announces, a race is certain only if both threads are about to make theirs: nothing can order
/// them then. So it is with threads of different processes, which do not know each other's clocks.
fn report_meeting(me: usize, address: usize, mask: u8, how: u64, place: u64) {
    let granule = at(ObjectKind::Memory, address & !7, |_| ());
    let conflict = |other: usize| {
        let (slot, operation) = (thread(other), thread(other).operation.load());
        let other_how = match operation.kind {
            Kind::MemoryRead => 0,
            Kind::MemoryWrite => shadow::WRITE,
            Kind::MemoryStore => shadow::WRITE | shadow::ATOMIC,
            // It may turn out to change nothing.
            Kind::MemoryLoad | Kind::MemoryUpdate => shadow::ATOMIC,
            _ => return None,
        };
        let parts = [
            (operation.object, operation.argument as u8),
            (operation.other, (operation.argument >> 8) as u8),
        ];
        let touches =
            parts.iter().any(|(number, bytes)| *number != 0 && bytes & mask != 0 && *number == granule);
        let is_race = touches
            && slot.state.load(Relaxed) == state::PENDING
            && (how | other_how) & shadow::WRITE != 0
            && how & other_how & shadow::ATOMIC == 0;
        is_race.then(|| side(other, operation.place, other_how))
    };
    if let Some(other) = (0..n_threads()).filter(|other| *other != me).find_map(conflict) {
        let accesses = [side(me, place, how), other];
        region().memory.report(&Race { address: address as u64 & !7, accesses, is_doubtful: false });
    }
}

fn side(thread: usize, place: u64, how: u64) -> RacingAccess {
    RacingAccess {
        thread: thread as u32,
        place,
        is_write: how & shadow::WRITE != 0,
        is_atomic: how & shadow::ATOMIC != 0,
        is_free: how & shadow::FREE != 0,
    }
}

#[cold]
fn report(me: usize, address: usize, granule: &mut Granule, earlier: Cell, how: u64, place: u64) {
    let accesses = [side(earlier.thread(), earlier.place, earlier.how()), side(me, place, how)];
    // What was given back must not be touched, whatever the order.
    let is_doubtful = has_silent_code() && earlier.how() & shadow::FREE == 0;
    region().memory.report(&Race { address: address as u64 & !7, accesses, is_doubtful });
    promote(granule, address);
}

/// From the next execution on, its accesses are visible.
pub fn promote(granule: &mut Granule, address: usize) {
    if granule.flags & (shadow::VISIBLE | shadow::PROMOTED) != 0 {
        return;
    }
    granule.flags |= shadow::PROMOTED;
    if !region().memory.promote(address as u64 & !7) {
        end_at_limit(Limit::SharedPlaces, PROMOTED, None);
    }
}

/// Was the block that begins here given back, and not given out since?
fn is_given_back(start: usize) -> bool {
    given_back_at(start).is_some()
}

/// So many bytes of a block are remembered as given back, and behind them, what was ever touched.
/// What else is behind them has a mark for all of it (`bounds.rs`).
pub const REMEMBERED: usize = 1 << 14;

/// Memory is given back: a write to it. If it also `disappears`, somebody else may get the addresses without asking here, so it is kept in a
/// list (`unmapped.rs`). Was it given back before?
pub fn freed(start: usize, length: usize, disappears: bool, frame: Frame) -> bool {
    let Some(me) = watched() else { return false };
    announce_writes(me, start, length, frame);
    let is_again = is_given_back(start);
    effect(me);
    let how = shadow::WRITE | shadow::FREE;
    let remembered = if disappears { 0 } else { length.min(REMEMBERED) };
    for address in (start & !7..start + remembered).step_by(8) {
        compare(me, address, shadow::granule(address), 0xff, how, place_of(frame));
    }
    known(start + remembered, length - remembered, |address, granule| {
        if granule.head.word != 0 {
            compare(me, address, granule, 0xff, how, place_of(frame));
        }
    });
    if disappears {
        known(start, length, |_, granule| granule.forget());
        let word = Cell::word(clocks::own(me)[me], me, 0xff, how);
        unmapped::add(start, length, Cell { word, place: place_of(frame) });
    }
    is_again
}

/// So many bytes of what a mapping becomes are remembered, for those who touch it later; behind
/// them, what was ever touched.
const REMAPPED: usize = 1 << 18;

/// Rights to memory change, or what is there: accesses by others that nothing orders may end the
/// process, or find something else.
pub fn remapped(start: usize, length: usize, is_write: bool, frame: Frame) {
    let Some(me) = watched() else { return };
    announce_accesses(me, start, length, if is_write { Kind::MemoryWrite } else { Kind::MemoryRead }, frame);
    effect(me);
    let how = if is_write { shadow::WRITE } else { 0 };
    let remembered = length.min(REMAPPED);
    for address in (start & !7..start + remembered).step_by(8) {
        compare(me, address, shadow::granule(address), 0xff, how, place_of(frame));
    }
    known(start + remembered, length - remembered, |address, granule| {
        if granule.head.word != 0 {
            compare(me, address, granule, 0xff, how, place_of(frame));
        }
    });
}

/// Announces a write to everything in a range that is visible.
fn announce_writes(me: usize, start: usize, length: usize, frame: Frame) {
    announce_accesses(me, start, length, Kind::MemoryWrite, frame);
}

fn announce_accesses(me: usize, start: usize, length: usize, kind: Kind, frame: Frame) {
    let mut next = start & !7;
    let end = start + length;
    while next < end {
        // A visible write may hand the token on: the search for the next granule begins anew after it.
        let mut found = None;
        known(next, end - next, |address, granule| {
            if found.is_none() && granule.flags & shadow::VISIBLE != 0 {
                found = Some(address);
            }
        });
        let Some(address) = found else { break };
        announce(me, kind, [(address, 0xff), (0, 0)], frame);
        next = address + 8;
    }
}

/// Memory is given out: what was done to it before is no longer of interest.
pub fn allocated(start: usize, length: usize) {
    if is_active() && start != 0 {
        bounds::is_reused(start, length);
        unmapped::is_given_out(start, length);
        known(start, length, |_, granule| granule.forget());
    }
}

/// So many bytes of a new block are taken to be written by whoever gets it.
const WRITTEN: usize = 256;

/// A block of the heap is given out to the program. Who is told where it is, but not in a way that
/// orders the two, must not touch it.
pub fn given_out(start: usize, size: usize, place: u64) {
    let Some(me) = watched() else { return };
    if !is_program(place as usize) || may_be_silent(place as usize) {
        return;
    }
    let clock = clocks::own(me)[me];
    for address in (start..start + size.min(WRITTEN)).step_by(8) {
        shadow::granule(address).add(Cell { word: Cell::word(clock, me, 0xff, shadow::WRITE), place });
    }
}
