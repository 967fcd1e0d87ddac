//! The limit of the address space (`RLIMIT_AS`), as the program would have it.
//!
//! What is mapped before `main` is mostly ours: the region, and with visible memory the shadow. So
//! the kernel is asked for a limit that is larger by that, and the program is told a smaller one.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use crate::kernel_state::uses_limits;
use crate::sys::{self, errno::EFAULT, fails};
use crate::token::{caller, controlled, region};

const RLIMIT_AS: i32 = 9;
const NO_LIMIT: u64 = u64::MAX;
const PAGE: u64 = 4096;

/// A `struct rlimit`, and `struct rlimit64`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Limit {
    now: u64,
    most: u64,
}

/// What was mapped before `main`.
static OWN: AtomicU64 = AtomicU64::new(0);

/// Notes how much is mapped. To be called once, before `main`.
pub fn prepare() {
    is_reserved(mapped());
}

/// So much more is ours.
pub fn is_reserved(size: u64) {
    OWN.fetch_add(size, Relaxed);
}

/// Brings the limit into force with which the explorer was started. To be called when everything
/// that is ours is mapped: mostly the limit cannot be raised again.
pub fn enforce() {
    let limit = region().header.address_space.load(Relaxed);
    if limit != 0 {
        let limit = larger(Limit { now: limit, most: limit });
        sys::call(sys::PRLIMIT, 0, RLIMIT_AS as usize, &raw const limit as usize, 0, 0, 0);
    }
}

/// The size of this process, as `/proc/self/statm` begins with it.
fn mapped() -> u64 {
    let file = sys::unchecked(sys::OPEN, c"/proc/self/statm".as_ptr() as usize, 0, 0, 0, 0, 0);
    if file < 0 {
        return 0;
    }
    let mut text = [0_u8; 32];
    let length = sys::unchecked(sys::READ, file as usize, text.as_mut_ptr() as usize, text.len(), 0, 0, 0);
    sys::unchecked(sys::CLOSE, file as usize, 0, 0, 0, 0, 0);
    let digits = text.iter().take(length.max(0) as usize).take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |value: u64, digit| value * 10 + u64::from(digit - b'0')) * PAGE
}

fn larger(limit: Limit) -> Limit {
    let add = |value: u64| if value == NO_LIMIT { value } else { value.saturating_add(OWN.load(Relaxed)) };
    Limit { now: add(limit.now), most: add(limit.most) }
}

fn smaller(limit: Limit) -> Limit {
    let take = |value: u64| if value == NO_LIMIT { value } else { value.saturating_sub(OWN.load(Relaxed)) };
    Limit { now: take(limit.now), most: take(limit.most) }
}

/// The system call `prlimit64`; negative results are errors.
pub fn limit(pid: i32, resource: i32, new: *const Limit, old: *mut Limit) -> isize {
    let ask = |new: *const Limit| {
        sys::call(sys::PRLIMIT, pid as usize, resource as usize, new as usize, old as usize, 0, 0)
    };
    if resource != RLIMIT_AS || controlled().is_none() {
        return ask(new);
    }
    if new.is_null() && old.is_null() {
        return -(EFAULT as isize);
    }
    // SAFETY: the program passes limits, or none.
    let wanted = unsafe { new.as_ref() }.map(|new| larger(*new));
    let value = ask(wanted.as_ref().map_or(core::ptr::null(), core::ptr::from_ref));
    if value == 0 && !old.is_null() {
        // SAFETY: the kernel has just written it.
        unsafe { *old = smaller(*old) };
    }
    value
}

fn result(value: isize) -> i32 {
    if value < 0 { fails(-value as i32) } else { 0 }
}

macro_rules! functions {
    ($($set:ident, $get:ident, $both:ident;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $set(resource: i32, new: *const Limit) -> i32 {
            uses_limits(0, true, caller());
            result(limit(0, resource, new, core::ptr::null_mut()))
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $get(resource: i32, old: *mut Limit) -> i32 {
            uses_limits(0, false, caller());
            result(limit(0, resource, core::ptr::null(), old))
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
