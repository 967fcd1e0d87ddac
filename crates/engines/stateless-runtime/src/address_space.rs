//! The limit of the address space (`RLIMIT_AS`), as the program would have it.
//!
//! The region, this library and, with visible memory, the shadow take room that the program does
//! not need by itself. So the kernel is asked for a limit that is larger by that, and the program
//! is told a smaller one.

use core::ptr::{null, null_mut};
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::Region;

use crate::kernel_state::uses_limits;
use crate::sys::{self, errno::EFAULT, fails};
use crate::token::{caller, controlled, region};
use crate::unwind::own_memory;

/// The numbers of the calls that know one direction only.
pub const GETRLIMIT: usize = 97;
pub const SETRLIMIT: usize = 160;

const RLIMIT_AS: i32 = 9;
const NO_LIMIT: u64 = u64::MAX;

/// A `struct rlimit`, and `struct rlimit64`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Limit {
    now: u64,
    most: u64,
}

/// How much of what is mapped is ours.
static OWN: AtomicU64 = AtomicU64::new(0);

/// The stack of the first thread begins up to a megabyte further down, and the loader has records
/// of this library.
const MARGIN: u64 = (1 << 20) + (1 << 18);

/// Notes how much of what is mapped is ours. To be called once, before `main`.
pub fn prepare() {
    let library = own_memory().len() as u64;
    is_reserved(size_of::<Region>() as u64 + library + MARGIN);
}

/// So much more is ours.
pub fn is_reserved(size: u64) {
    OWN.fetch_add(size, Relaxed);
}

/// Brings the limit into force with which the explorer was started. To be called when everything
/// that is ours is mapped: mostly the limit cannot be raised again.
pub fn enforce() {
    let header = &region().header;
    header.own_address_space.store(OWN.load(Relaxed), Relaxed);
    let [now, most] = &header.address_space;
    let limit = Limit { now: now.load(Relaxed), most: most.load(Relaxed) };
    if limit.is_there() {
        ask(0, &larger(limit), null_mut());
    }
}

/// The first program was replaced by this one, which needs less for us.
pub fn replaces_first() {
    let mut limit = Limit { now: NO_LIMIT, most: NO_LIMIT };
    ask(0, null(), &mut limit);
    if limit.is_there() {
        let less = region().header.own_address_space.load(Relaxed).saturating_sub(OWN.load(Relaxed));
        ask(0, &limit.without(less), null_mut());
    }
}

impl Limit {
    fn is_there(self) -> bool {
        self.now != NO_LIMIT || self.most != NO_LIMIT
    }

    fn without(self, size: u64) -> Limit {
        let take = |value: u64| if value == NO_LIMIT { value } else { value.saturating_sub(size) };
        Limit { now: take(self.now), most: take(self.most) }
    }
}

fn larger(limit: Limit) -> Limit {
    let add = |value: u64| if value == NO_LIMIT { value } else { value.saturating_add(OWN.load(Relaxed)) };
    Limit { now: add(limit.now), most: add(limit.most) }
}

/// The system call `prlimit64` for the address space.
fn ask(pid: i32, new: *const Limit, old: *mut Limit) -> isize {
    sys::call(sys::PRLIMIT, pid as usize, RLIMIT_AS as usize, new as usize, old as usize, 0, 0)
}

/// The system call `prlimit64`; negative results are errors.
pub fn limit(pid: i32, resource: i32, new: *const Limit, old: *mut Limit) -> isize {
    if resource != RLIMIT_AS || controlled().is_none() {
        return sys::call(sys::PRLIMIT, pid as usize, resource as usize, new as usize, old as usize, 0, 0);
    }
    if new.is_null() && old.is_null() {
        return -(EFAULT as isize);
    }
    // SAFETY: the program passes limits, or none.
    let wanted = unsafe { new.as_ref() }.map(|new| larger(*new));
    let value = ask(pid, wanted.as_ref().map_or(null(), core::ptr::from_ref), old);
    if value == 0 && !old.is_null() {
        // SAFETY: the kernel has just written it.
        unsafe { *old = (*old).without(OWN.load(Relaxed)) };
    }
    value
}

/// Carries out a system call that the program makes itself, if it is about limits.
pub fn directly(number: usize, [a, b, c, d, ..]: &[usize; 6], place: u64) -> Option<isize> {
    const NOTHING: usize = 0;
    let [pid, resource, new, old] = match number {
        GETRLIMIT => [0, *a, NOTHING, *b],
        SETRLIMIT => [0, *a, *b, NOTHING],
        sys::PRLIMIT => [*a, *b, *c, *d],
        _ => return None,
    };
    uses_limits(pid as i32, new != NOTHING, place);
    Some(limit(pid as i32, resource as i32, new as *const Limit, old as *mut Limit))
}

fn result(value: isize) -> i32 {
    if value < 0 { fails(-value as i32) } else { 0 }
}

macro_rules! functions {
    ($($set:ident, $get:ident, $both:ident;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $set(resource: i32, new: *const Limit) -> i32 {
            uses_limits(0, true, caller());
            result(limit(0, resource, new, null_mut()))
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $get(resource: i32, old: *mut Limit) -> i32 {
            uses_limits(0, false, caller());
            result(limit(0, resource, null(), old))
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $both(pid: i32, resource: i32, new: *const Limit, old: *mut Limit) -> i32 {
            uses_limits(pid, !new.is_null(), caller());
            result(limit(pid, resource, new, old))
        })*
    };
}

functions! {
    setrlimit, getrlimit, prlimit;
    setrlimit64, getrlimit64, prlimit64;
}
