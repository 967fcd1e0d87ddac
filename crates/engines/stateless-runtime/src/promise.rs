//! `std::promise::set_value_at_thread_exit` and the like: the library of C++ makes the value known when the thread ends, by atomic operations that
//! nobody announces. So they are announced here, around the function of the library that does it.
//!
//! What is kept for the end of the thread is a link, a function, and a `weak_ptr` to what promise and future share.

use core::mem::transmute;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

use crate::atomics::of32::{__tsan_atomic32_compare_exchange_val, __tsan_atomic32_fetch_or};
use crate::atomics::of32::{__tsan_atomic32_fetch_sub, __tsan_atomic32_load};
use crate::clocks::order::{ACQUIRE_RELEASE, RELEASE};
use crate::memory::{is_active, watched};

/// In what is kept, in words.
const FUNCTION: usize = 1;
const STATE: usize = 2;
const COUNTS: usize = 3;

/// In the state: 1 if the value is there. The highest bit says that somebody waits.
const STATUS: usize = 16;
const READY: u32 = 1;

/// Of owners, and of others that know where the counts are; both are there as long as there are owners.
const OWNERS: usize = 8;
const KNOWN: usize = 12;

/// Virtual functions of the counts: what was owned goes, and the counts go.
const DISPOSE: usize = 2;
const DESTROY: usize = 3;

type AtEnd = extern "C" fn(*mut usize);
type Update = extern "C" fn(usize, u32, i32) -> u32;

/// The function of the library.
static MAKE_READY: AtomicUsize = AtomicUsize::new(0);

/// `std::__future_base::_State_baseV2::_Make_ready::_M_set()`
#[unsafe(export_name = "_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv")]
pub extern "C" fn set(kept: *mut usize) {
    real!(c"_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv": fn(*mut usize) -> (), (kept));
    if is_active() {
        // SAFETY: the library has just written it.
        unsafe {
            MAKE_READY.store(*kept.add(FUNCTION), Relaxed);
            *kept.add(FUNCTION) = make_ready as extern "C" fn(*mut usize) as usize;
        }
    }
}

extern "C" fn make_ready(kept: *mut usize) {
    // SAFETY: `set` wrote it; the rest is the library's.
    let (real, state, counts) = unsafe {
        let real: AtEnd = transmute(MAKE_READY.load(Relaxed));
        (real, *kept.add(STATE), *kept.add(COUNTS))
    };
    if watched().is_none() || counts == 0 || !own(counts) {
        return real(kept);
    }
    // SAFETY: functions with these arguments.
    let or: Update = unsafe { transmute(__tsan_atomic32_fetch_or as *const ()) };
    or(state + STATUS, READY, RELEASE);
    // There is an owner until it is done.
    real(kept);
    disown(counts);
}

/// Becomes an owner, if there still is one.
fn own(counts: usize) -> bool {
    type Load = extern "C" fn(usize, i32) -> u32;
    type Exchange = extern "C" fn(usize, u32, u32, i32, i32) -> u32;
    // SAFETY: functions with these arguments.
    let (load, exchange): (Load, Exchange) = unsafe {
        (
            transmute::<*const (), Load>(__tsan_atomic32_load as *const ()),
            transmute::<*const (), Exchange>(__tsan_atomic32_compare_exchange_val as *const ()),
        )
    };
    let mut owners = load(counts + OWNERS, RELAXED);
    while owners != 0 {
        let found = exchange(counts + OWNERS, owners, owners + 1, ACQUIRE_RELEASE, RELAXED);
        if found == owners {
            return true;
        }
        owners = found;
    }
    false
}

const RELAXED: i32 = 0;

fn disown(counts: usize) {
    // SAFETY: a function with these arguments.
    let sub: Update = unsafe { transmute(__tsan_atomic32_fetch_sub as *const ()) };
    // SAFETY: the counts begin with the table of their virtual functions.
    let call =
        |number: usize| unsafe { (*(*(counts as *const *const extern "C" fn(usize))).add(number))(counts) };
    if sub(counts + OWNERS, 1, ACQUIRE_RELEASE) == 1 {
        call(DISPOSE);
        if sub(counts + KNOWN, 1, ACQUIRE_RELEASE) == 1 {
            call(DESTROY);
        }
    }
}
