//! The functions that a compiler calls before each access (`-fsanitize=thread`).
//!
//! Each is a few instructions that store the registers which the caller may still need, so that what the thread remembers is in memory, and then
//! call the function that does the work, with the place of the registers as sixth argument.

use core::arch::naked_asm;
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::Relaxed;

use crate::memory::{Frame, access, range, watched_call};

/// A function with at most five arguments that passes its registers on: `hook!(name => function);`. Instructions after it put the arguments into
/// another order.
macro_rules! hook {
    ($($name:ident => $function:expr $(, $moves:literal)*;)*) => {
        $(#[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                // What the function calls may throw exceptions through here.
                ".cfi_startproc",
                "push rbp",
                "push rbx",
                "push r12",
                "push r13",
                "push r14",
                "push r15",
                $($moves,)*
                "mov r9, rsp",
                "sub rsp, 8",
                ".cfi_adjust_cfa_offset 56",
                "call {function}",
                "add rsp, 56",
                ".cfi_adjust_cfa_offset -56",
                "ret",
                ".cfi_endproc",
                function = sym $function,
            )
        })*
    };
}
pub(crate) use hook;

type Unused = usize;

extern "C" fn plain<const SIZE: usize, const WRITES: bool>(
    address: usize,
    _: Unused,
    _: Unused,
    _: Unused,
    _: Unused,
    frame: Frame,
) {
    access(address, SIZE, WRITES, frame);
}

/// Compilers may announce `x += 1` at once.
extern "C" fn both<const SIZE: usize>(
    address: usize,
    _: Unused,
    _: Unused,
    _: Unused,
    _: Unused,
    frame: Frame,
) {
    access(address, SIZE, false, frame);
    access(address, SIZE, true, frame);
}

extern "C" fn many<const WRITES: bool>(
    address: usize,
    size: usize,
    _: Unused,
    _: Unused,
    _: Unused,
    frame: Frame,
) {
    if watched_call() {
        range(address, size, WRITES, frame);
    }
}

/// A destructor sets the table of virtual functions; mostly it is the same.
extern "C" fn table(address: usize, new: usize, _: Unused, _: Unused, _: Unused, frame: Frame) {
    // SAFETY: the program is about to write it.
    if unsafe { *(address as *const usize) } != new {
        access(address, 8, true, frame);
    }
}

hook! {
    __tsan_read1 => plain::<1, false>;
    __tsan_read2 => plain::<2, false>;
    __tsan_read4 => plain::<4, false>;
    __tsan_read8 => plain::<8, false>;
    __tsan_read16 => plain::<16, false>;
    __tsan_write1 => plain::<1, true>;
    __tsan_write2 => plain::<2, true>;
    __tsan_write4 => plain::<4, true>;
    __tsan_write8 => plain::<8, true>;
    __tsan_write16 => plain::<16, true>;
    __tsan_unaligned_read2 => plain::<2, false>;
    __tsan_unaligned_read4 => plain::<4, false>;
    __tsan_unaligned_read8 => plain::<8, false>;
    __tsan_unaligned_read16 => plain::<16, false>;
    __tsan_unaligned_write2 => plain::<2, true>;
    __tsan_unaligned_write4 => plain::<4, true>;
    __tsan_unaligned_write8 => plain::<8, true>;
    __tsan_unaligned_write16 => plain::<16, true>;
    __tsan_volatile_read1 => plain::<1, false>;
    __tsan_volatile_read2 => plain::<2, false>;
    __tsan_volatile_read4 => plain::<4, false>;
    __tsan_volatile_read8 => plain::<8, false>;
    __tsan_volatile_read16 => plain::<16, false>;
    __tsan_volatile_write1 => plain::<1, true>;
    __tsan_volatile_write2 => plain::<2, true>;
    __tsan_volatile_write4 => plain::<4, true>;
    __tsan_volatile_write8 => plain::<8, true>;
    __tsan_volatile_write16 => plain::<16, true>;
    __tsan_unaligned_volatile_read2 => plain::<2, false>;
    __tsan_unaligned_volatile_read4 => plain::<4, false>;
    __tsan_unaligned_volatile_read8 => plain::<8, false>;
    __tsan_unaligned_volatile_read16 => plain::<16, false>;
    __tsan_unaligned_volatile_write2 => plain::<2, true>;
    __tsan_unaligned_volatile_write4 => plain::<4, true>;
    __tsan_unaligned_volatile_write8 => plain::<8, true>;
    __tsan_unaligned_volatile_write16 => plain::<16, true>;
    __tsan_read_write1 => both::<1>;
    __tsan_read_write2 => both::<2>;
    __tsan_read_write4 => both::<4>;
    __tsan_read_write8 => both::<8>;
    __tsan_read_write16 => both::<16>;
    __tsan_unaligned_read_write2 => both::<2>;
    __tsan_unaligned_read_write4 => both::<4>;
    __tsan_unaligned_read_write8 => both::<8>;
    __tsan_unaligned_read_write16 => both::<16>;
    __tsan_read_range => many::<false>;
    __tsan_write_range => many::<true>;
    __tsan_vptr_read => plain::<8, false>;
    __tsan_vptr_update => table;
}

/// A function that does nothing.
macro_rules! nothing {
    ($($name:ident;)*) => {
        $(#[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            naked_asm!("ret")
        })*
    };
}

/// Does compiled code announce its accesses?
static IS_INSTRUMENTED: AtomicBool = AtomicBool::new(false);

pub fn is_instrumented() -> bool {
    IS_INSTRUMENTED.load(Relaxed)
}

/// Called by each part of the program that was compiled so, before `main`.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_init() {
    IS_INSTRUMENTED.store(true, Relaxed);
}

nothing! {
    __tsan_func_entry;
    __tsan_func_exit;
    __tsan_ignore_thread_begin;
    __tsan_ignore_thread_end;
    __tsan_flush_memory;
    __tsan_mutex_create;
    __tsan_mutex_destroy;
    __tsan_mutex_pre_lock;
    __tsan_mutex_post_unlock;
    __tsan_mutex_pre_signal;
    __tsan_mutex_post_signal;
    __tsan_mutex_pre_divert;
    __tsan_mutex_post_divert;
}
