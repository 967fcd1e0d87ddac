//! Reading and writing: what goes through a queue that is mirrored here is a step, the rest is left to the kernel.

use core::sync::atomic::Ordering::Relaxed;

use crate::descriptors::{Description, result, touch_closed, what};
use crate::event;
use crate::interrupt::may_end_here;
use crate::pipe;
use crate::socket;
use crate::stream::Manner;
use crate::sys;
use crate::token::{caller, controlled, remark, thread};
use crate::vector::Vector;

/// Where `struct stat` has the mode.
const MODE: usize = 24;
const KIND: u32 = 0o170_000;
const FIFO: u32 = 0o010_000;
const SOCKET: u32 = 0o140_000;

/// Can another process or thread be at the other end?
pub fn is_shared(descriptor: usize) -> bool {
    let mut status = [0_u8; 256];
    if descriptor <= 2 || sys::call(sys::FSTAT, descriptor, status.as_mut_ptr() as usize, 0, 0, 0, 0) < 0 {
        return false;
    }
    let mode = u32::from_le_bytes([status[MODE], status[MODE + 1], status[MODE + 2], status[MODE + 3]]);
    matches!(mode & KIND, FIFO | SOCKET)
}

/// Leaves it to the kernel, after a remark if somebody else may be at the other end.
fn uncontrolled(name: &[u8], number: usize, a: usize, b: usize, c: usize) -> isize {
    if let Some(me) = controlled() {
        may_end_here(me, 0);
        // How far it got in a file is not in its memory.
        thread(me).deeds.fetch_add(1, Relaxed);
        if Description::at(a).is_none() && is_shared(a) {
            remark(&[name, b" on a pipe or socket"]);
        }
    }
    result(sys::call(number, a, b, c, 0, 0, 0))
}

/// What is open; that it is not may be the doing of another thread.
fn open_at(descriptor: usize, place: u64) -> Option<Description> {
    Description::at(descriptor).or_else(|| {
        touch_closed(descriptor, place);
        None
    })
}

/// Reads what is mirrored here; `None` if the descriptor is something else.
pub fn modelled_read(descriptor: usize, vector: &Vector, place: u64) -> Option<isize> {
    let (me, description) = (controlled()?, open_at(descriptor, place)?);
    let manner = Manner { gives_up: description.is_nonblocking(), peeks: false, place };
    match description.what() {
        what::PIPE => {
            let queue = Some(description.input()).filter(|queue| *queue != 0 && vector.length() > 0)?;
            Some(result(pipe::read(me, descriptor, queue, vector, manner)))
        }
        what::SOCKET => socket::read(descriptor, vector, place),
        what::EVENT => Some(event::read(me, descriptor, description, vector, manner)),
        _ => None,
    }
}

/// The same for writing.
pub fn modelled_write(descriptor: usize, vector: &Vector, place: u64) -> Option<isize> {
    let (me, description) = (controlled()?, open_at(descriptor, place)?);
    let manner = Manner { gives_up: description.is_nonblocking(), peeks: false, place };
    match description.what() {
        what::PIPE => {
            let queue = Some(description.output()).filter(|queue| *queue != 0 && vector.length() > 0)?;
            Some(result(pipe::write(me, descriptor, queue, vector, manner)))
        }
        what::SOCKET => socket::write(descriptor, vector, place),
        what::EVENT => Some(event::write(me, descriptor, description, vector, manner)),
        _ => None,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn read(descriptor: i32, address: usize, length: usize) -> isize {
    let (place, descriptor) = (caller(), descriptor as usize);
    modelled_read(descriptor, &Vector::single(address, length), place)
        .unwrap_or_else(|| uncontrolled(b"read", sys::READ, descriptor, address, length))
}

#[unsafe(no_mangle)]
pub extern "C" fn write(descriptor: i32, address: usize, length: usize) -> isize {
    let (place, descriptor) = (caller(), descriptor as usize);
    modelled_write(descriptor, &Vector::single(address, length), place)
        .unwrap_or_else(|| uncontrolled(b"write", sys::WRITE, descriptor, address, length))
}

#[unsafe(no_mangle)]
pub extern "C" fn readv(descriptor: i32, address: usize, count: usize) -> isize {
    let (place, descriptor) = (caller(), descriptor as usize);
    modelled_read(descriptor, &Vector::Given { address, count }, place)
        .unwrap_or_else(|| uncontrolled(b"readv", sys::READV, descriptor, address, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn writev(descriptor: i32, address: usize, count: usize) -> isize {
    let (place, descriptor) = (caller(), descriptor as usize);
    modelled_write(descriptor, &Vector::Given { address, count }, place)
        .unwrap_or_else(|| uncontrolled(b"writev", sys::WRITEV, descriptor, address, count))
}
