//! `new` and `delete` of C++. Those of the library of C++ call `malloc` and `free`, and are left alone. Another heap may bring operators that
//! call nothing; they then mean the same as its other functions, which are used instead.

use core::ffi::c_void;
use core::sync::atomic::AtomicUsize;

use crate::allocator::has_operators;
use crate::heap::{free, malloc, memalign};
use crate::real::find_once;

/// All of these operators have at most three arguments, each in a register.
type Operator = extern "C" fn(usize, usize, usize) -> *mut c_void;

type Free = extern "C" fn(*mut c_void);

/// What is hidden: it fails as the program expects, by an exception or without.
fn really(next: &AtomicUsize, name: &'static str, arguments: [usize; 3]) -> *mut c_void {
    // SAFETY: the operator of this name is there, as the program calls it.
    let operator: Operator = unsafe { core::mem::transmute(find_once(next, name)) };
    operator(arguments[0], arguments[1], arguments[2])
}

macro_rules! operators {
    ($($name:ident => $instead:expr;)*) => {
        $(#[unsafe(no_mangle)]
        #[allow(non_snake_case, reason = "the names are those of the compilers")]
        pub extern "C" fn $name(first: usize, second: usize, third: usize) -> *mut c_void {
            static NEXT: AtomicUsize = AtomicUsize::new(0);
            let instead: fn(usize, usize) -> Option<*mut c_void> = $instead;
            let done = if has_operators() { instead(first, second) } else { None };
            done.unwrap_or_else(|| {
                really(&NEXT, concat!(stringify!($name), "\0"), [first, second, third])
            })
        })*
    };
}

fn made(size: usize, _: usize) -> Option<*mut c_void> {
    Some(malloc(size.max(1))).filter(|block| !block.is_null())
}

fn made_aligned(size: usize, alignment: usize) -> Option<*mut c_void> {
    Some(memalign(alignment, size.max(1))).filter(|block| !block.is_null())
}

fn given_back(block: usize, _: usize) -> Option<*mut c_void> {
    // SAFETY: the function behind the hook has this type.
    let free: Free = unsafe { core::mem::transmute(free as *const ()) };
    free(block as *mut c_void);
    Some(core::ptr::null_mut())
}

operators! {
    _Znwm => made;
    _ZnwmRKSt9nothrow_t => made;
    _ZnwmSt11align_val_t => made_aligned;
    _ZnwmSt11align_val_tRKSt9nothrow_t => made_aligned;
    _Znam => made;
    _ZnamRKSt9nothrow_t => made;
    _ZnamSt11align_val_t => made_aligned;
    _ZnamSt11align_val_tRKSt9nothrow_t => made_aligned;
    _ZdlPv => given_back;
    _ZdlPvm => given_back;
    _ZdlPvRKSt9nothrow_t => given_back;
    _ZdlPvSt11align_val_t => given_back;
    _ZdlPvmSt11align_val_t => given_back;
    _ZdlPvSt11align_val_tRKSt9nothrow_t => given_back;
    _ZdaPv => given_back;
    _ZdaPvm => given_back;
    _ZdaPvRKSt9nothrow_t => given_back;
    _ZdaPvSt11align_val_t => given_back;
    _ZdaPvmSt11align_val_t => given_back;
    _ZdaPvSt11align_val_tRKSt9nothrow_t => given_back;
}
