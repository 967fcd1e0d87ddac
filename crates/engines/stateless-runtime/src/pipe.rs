//! Pipes.

use crate::block::will_write;
use crate::descriptors::{Description, install, result, what};
use crate::kernel_state::makes_descriptor;
use crate::stream::{self, Manner, flavour};
use crate::sys;
use crate::token::{caller, caller_frame, controlled, remark};
use crate::vector::Vector;

const PIPE2: usize = 293;
const GET_PIPE_SIZE: usize = 1032;
const O_CLOEXEC: i32 = 0o2_000_000;
const O_DIRECT: i32 = 0o40_000;
const PAGE: isize = 4096;

#[unsafe(no_mangle)]
pub extern "C" fn pipe(descriptors: *mut i32) -> i32 {
    will_write(descriptors, 8, caller_frame());
    make(descriptors, 0, caller())
}

#[unsafe(no_mangle)]
pub extern "C" fn pipe2(descriptors: *mut i32, flags: i32) -> i32 {
    will_write(descriptors, 8, caller_frame());
    make(descriptors, flags, caller())
}

fn make(descriptors: *mut i32, flags: i32, place: u64) -> i32 {
    makes_descriptor(place);
    let made = sys::call(PIPE2, descriptors as usize, flags as usize, 0, 0, 0, 0);
    if made >= 0 && controlled().is_some() {
        // SAFETY: the kernel has just written both.
        let (reading, writing) = unsafe { (*descriptors as usize, *descriptors.add(1) as usize) };
        let queue = stream::new(flavour::PIPE, pages(reading));
        let closes_on_exec = flags & O_CLOEXEC != 0;
        install(reading, Description::new(what::PIPE, queue, 0, flags as u32), closes_on_exec);
        install(writing, Description::new(what::PIPE, 0, queue, flags as u32), closes_on_exec);
        if flags & O_DIRECT != 0 {
            remark(&[b"a pipe of packets"]);
        }
    }
    result(made) as i32
}

/// How many pages a pipe has.
fn pages(descriptor: usize) -> u32 {
    (sys::call(sys::FCNTL, descriptor, GET_PIPE_SIZE, 0, 0, 0, 0) / PAGE).clamp(1, 256) as u32
}

/// Reads a pipe.
pub fn read(me: usize, descriptor: usize, queue: u32, vector: &Vector, manner: Manner) -> isize {
    stream::receive(me, queue, vector.length(), manner, || {
        sys::call(sys::READV, descriptor, vector.address(), vector.count(), 0, 0, 0)
    })
}

/// Writes a pipe.
pub fn write(me: usize, descriptor: usize, queue: u32, vector: &Vector, manner: Manner) -> isize {
    stream::send(me, queue, vector.length(), manner, |first, length| {
        let part = vector.part(first, length);
        (sys::call(sys::WRITEV, descriptor, part.address(), part.count(), 0, 0, 0), 0)
    })
}
