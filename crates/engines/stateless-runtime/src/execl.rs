//! Executing other programs with a list of arguments: the C library does not call the functions of [`crate::spawn`] for that.

use core::ffi::{c_char, c_void};

use crate::format::Arguments;
use crate::spawn::{environment, execve, execvpe};
use crate::sys::{self, errno::ENOMEM, fails};
use crate::variadic::with_list;

type Text = *const c_char;

/// Which function was called.
const BY_PATH: usize = 0;
const BY_NAME: usize = 1;

extern "C" fn execute(path: Text, list: *const c_void, how: usize) -> i32 {
    let mut arguments = Arguments::of(list);
    const MMAP_PRIVATE: usize = 0x22;
    let mut ahead = arguments;
    let mut count = 1;
    while ahead.next() != 0 {
        count += 1;
    }
    let list = sys::call(sys::MMAP, 0, count * size_of::<Text>(), 3, MMAP_PRIVATE, usize::MAX, 0);
    if list < 0 {
        return fails(ENOMEM);
    }
    let list = list as *mut usize;
    for position in 0..count {
        // SAFETY: there is room for all of them.
        unsafe { *list.add(position) = arguments.next() };
    }
    match how {
        BY_PATH => execve(path, list.cast(), environment()),
        BY_NAME => execvpe(path, list.cast(), environment()),
        _ => execve(path, list.cast(), arguments.next() as *const Text),
    }
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn execl(_: Text) -> i32 {
    with_list!(8, execute, "mov rsi, rsp", "mov edx, 0")
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn execlp(_: Text) -> i32 {
    with_list!(8, execute, "mov rsi, rsp", "mov edx, 1")
}

/// The environment comes after the list.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn execle(_: Text) -> i32 {
    with_list!(8, execute, "mov rsi, rsp", "mov edx, 2")
}
