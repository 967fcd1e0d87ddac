//! Keys of thread-specific data. Each thread has its own value, but the keys belong to the process:
//! who deletes one takes it from all threads.

use core::ffi::c_void;
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::Fault;

use crate::library::{state, uses};
use crate::misuse;
use crate::token::{caller, controlled};

/// The C library has no more.
const KEYS: usize = 1024;

/// Keys that were deleted, and not made again.
static IS_DELETED: [AtomicBool; KEYS] = [const { AtomicBool::new(false) }; KEYS];

fn set_deleted(key: u32, value: bool) {
    if let Some(is_deleted) = IS_DELETED.get(key as usize) {
        is_deleted.store(value, Relaxed);
    }
}

/// In the step that uses a key: is there one? If not, that is reported.
fn is_used(key: u32, place: u64) {
    let is_deleted = IS_DELETED.get(key as usize).is_some_and(|is_deleted| is_deleted.load(Relaxed));
    if let Some(me) = controlled().filter(|_| is_deleted) {
        misuse::report_address(me, Fault::UseOfDeletedKey, u64::from(key), place, None);
    }
}

type Destructor = Option<extern "C" fn(*mut c_void)>;

macro_rules! functions {
    ($($make:ident $real_make:literal, $delete:ident $real_delete:literal, $set:ident $real_set:literal, $get:ident $real_get:literal;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $make(key: *mut u32, destructor: Destructor) -> i32 {
            uses(state::KEYS, true, caller());
            let result = real!($real_make: fn(*mut u32, Destructor) -> i32, (key, destructor));
            if result == 0 {
                // SAFETY: the C library has just written it.
                set_deleted(unsafe { *key }, false);
            }
            result
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $delete(key: u32) -> i32 {
            let place = caller();
            uses(state::KEYS, true, place);
            is_used(key, place);
            set_deleted(key, true);
            real!($real_delete: fn(u32) -> i32, (key))
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $set(key: u32, value: *const c_void) -> i32 {
            let place = caller();
            uses(state::KEYS, false, place);
            is_used(key, place);
            real!($real_set: fn(u32, *const c_void) -> i32, (key, value))
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $get(key: u32) -> *mut c_void {
            let place = caller();
            uses(state::KEYS, false, place);
            is_used(key, place);
            real!($real_get: fn(u32) -> *mut c_void, (key))
        })*
    };
}

functions! {
    pthread_key_create c"pthread_key_create", pthread_key_delete c"pthread_key_delete",
        pthread_setspecific c"pthread_setspecific", pthread_getspecific c"pthread_getspecific";
    tss_create c"tss_create", tss_delete c"tss_delete", tss_set c"tss_set", tss_get c"tss_get";
}
