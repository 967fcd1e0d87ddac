//! Functions on streams of the C library: what they touch is told, then they are called.
//!
//! A stream is taken for the open file that it has: whatever is done to it uses the position, and may read or write the file. What is written to a
//! standard stream that was there from the beginning only adds to the output, see [`crate::file_calls`]. Streams on pipes and sockets have functions of
//! their own ([`crate::stdio`]), which take the steps.

use core::ffi::c_void;

use crate::file_calls::{
    Open, asks_for_progress, flushes_all, gives_output, is_replaced, is_used, open_at, redirects, takes_input,
};
use crate::memory;
use crate::stdio;
use crate::sys;
use crate::token::{caller, controlled, is_concurrent, my_process};
use crate::uses::{Role, Used, Uses, mixed, step};

/// How a stream is used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum How {
    Writes,
    Reads,
    /// Moves the position, or changes something else about the stream.
    Changes,
    /// Asks how far it got.
    Asks,
    Closes,
}

/// Announces that a stream is used.
pub fn uses_stream(stream: usize, how: How, place: u64) {
    if controlled().is_some() && is_concurrent() && stream != 0 && !stdio::is_ours(stream as *mut c_void) {
        step(place, |uses| footprint(uses, stream, how));
        // Nobody must use it when another thread has closed it.
        memory::is_read(stream, place);
    }
}

fn footprint(uses: &mut Uses, stream: usize, how: How) {
    let errno = sys::errno();
    let descriptor = stdio::descriptor_of(stream as *mut c_void);
    sys::set_errno(errno);
    if descriptor as i32 == -1 {
        let identity = mixed(my_process() as u64, stream as u64);
        return uses.writes(Used { role: Role::Stream, identity, name: 0 });
    }
    match open_at(descriptor) {
        Open::File(open) if how == How::Asks => open.is_asked_as_stream(uses),
        Open::File(open) => open.is_used_as_stream(uses),
        Open::Inherited => match how {
            How::Writes => gives_output(uses),
            How::Reads => takes_input(uses),
            How::Changes | How::Closes => redirects(uses),
            How::Asks => asks_for_progress(uses),
        },
        Open::Other(_) => return,
    }
    match how {
        How::Closes => is_replaced(uses, descriptor),
        _ => is_used(uses, descriptor),
    }
}

/// A standard stream is used.
pub fn uses_output(place: u64) {
    uses_stream(stdio::output(), How::Writes, place);
}

pub fn uses_input(place: u64) {
    uses_stream(stdio::input(), How::Reads, place);
}

/// Before streams are written out at the end of a process.
pub fn flushes_at_end() {
    if controlled().is_some() && is_concurrent() {
        step(0, flushes_all);
    }
}

/// `name "name", stream how;` for each function: the number of the argument that is the stream.
macro_rules! streams {
    ($($name:ident $text:literal, $stream:literal $how:ident;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(a: usize, b: usize, c: usize, d: usize) -> usize {
            uses_stream([a, b, c, d][$stream], How::$how, caller());
            real!($text: fn(usize, usize, usize, usize) -> usize, (a, b, c, d))
        })*
    };
}

streams! {
    fputc c"fputc", 1 Writes;
    putc c"putc", 1 Writes;
    _IO_putc c"_IO_putc", 1 Writes;
    fputc_unlocked c"fputc_unlocked", 1 Writes;
    putc_unlocked c"putc_unlocked", 1 Writes;
    putw c"putw", 1 Writes;
    fputwc c"fputwc", 1 Writes;
    putwc c"putwc", 1 Writes;
    fgetc c"fgetc", 0 Reads;
    getc c"getc", 0 Reads;
    _IO_getc c"_IO_getc", 0 Reads;
    fgetc_unlocked c"fgetc_unlocked", 0 Reads;
    getc_unlocked c"getc_unlocked", 0 Reads;
    getw c"getw", 0 Reads;
    fgetwc c"fgetwc", 0 Reads;
    getwc c"getwc", 0 Reads;
    fgetws c"fgetws", 2 Reads;
    ungetc c"ungetc", 1 Reads;
    ungetwc c"ungetwc", 1 Reads;
    // What the C library calls for functions that compilers put in place.
    __overflow c"__overflow", 0 Writes;
    __uflow c"__uflow", 0 Reads;
    __underflow c"__underflow", 0 Reads;
    __woverflow c"__woverflow", 0 Writes;
    __wuflow c"__wuflow", 0 Reads;
    __wunderflow c"__wunderflow", 0 Reads;
    fseek c"fseek", 0 Changes;
    fseeko c"fseeko", 0 Changes;
    fseeko64 c"fseeko64", 0 Changes;
    rewind c"rewind", 0 Changes;
    fsetpos c"fsetpos", 0 Changes;
    fsetpos64 c"fsetpos64", 0 Changes;
    setvbuf c"setvbuf", 0 Changes;
    setbuf c"setbuf", 0 Changes;
    setbuffer c"setbuffer", 0 Changes;
    setlinebuf c"setlinebuf", 0 Changes;
    clearerr c"clearerr", 0 Changes;
    __fpurge c"__fpurge", 0 Changes;
    ftell c"ftell", 0 Asks;
    ftello c"ftello", 0 Asks;
    ftello64 c"ftello64", 0 Asks;
    fgetpos c"fgetpos", 0 Asks;
    fgetpos64 c"fgetpos64", 0 Asks;
    feof c"feof", 0 Asks;
    ferror c"ferror", 0 Asks;
    feof_unlocked c"feof_unlocked", 0 Asks;
    ferror_unlocked c"ferror_unlocked", 0 Asks;
    __fpending c"__fpending", 0 Asks;
}

macro_rules! standard_streams {
    ($($name:ident $text:literal, $uses:ident;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(a: usize, b: usize) -> usize {
            $uses(caller());
            real!($text: fn(usize, usize) -> usize, (a, b))
        })*
    };
}

standard_streams! {
    putchar c"putchar", uses_output;
    putchar_unlocked c"putchar_unlocked", uses_output;
    putwchar c"putwchar", uses_output;
    getchar c"getchar", uses_input;
    getchar_unlocked c"getchar_unlocked", uses_input;
    getwchar c"getwchar", uses_input;
    perror c"perror", uses_errors;
}

fn uses_errors(place: u64) {
    uses_stream(stdio::errors(), How::Writes, place);
}

/// Writes out one stream, or all of them.
#[unsafe(no_mangle)]
pub extern "C" fn fflush(stream: usize) -> i32 {
    let place = caller();
    if stream != 0 {
        uses_stream(stream, How::Writes, place);
    } else if controlled().is_some() && is_concurrent() {
        step(place, flushes_all);
    }
    real!(c"fflush": fn(usize) -> i32, (stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn fflush_unlocked(stream: usize) -> i32 {
    uses_stream(stream, How::Writes, caller());
    real!(c"fflush_unlocked": fn(usize) -> i32, (stream))
}
