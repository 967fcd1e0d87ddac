//! Counters of `eventfd`: what is in each is mirrored here.

use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::ObjectKind;

use crate::descriptors::{Description, install, result, what};
use crate::kernel_state::makes_descriptor;
use crate::objects::{in_space, object, reserve};
use crate::schedule::was_fruitless;
use crate::stream::Manner;
use crate::sys::{
    self,
    errno::{EAGAIN, EINTR, EINVAL},
};
use crate::token::{caller, controlled, region};
use crate::transfer::{modelled_read, modelled_write};
use crate::vector::Vector;

const EVENTFD2: usize = 290;
const SEMAPHORE: i32 = 1;
const CLOSES_ON_EXEC: i32 = 0o2_000_000;
/// The space of counters, which are numbered.
const EVENTS: u32 = 0x4600_0000;
const LARGEST: u64 = u64::MAX - 1;
/// How many bytes it has.
const SIZE: usize = 8;

fn value(event: u32) -> u64 {
    let list = object(event).list.load(Relaxed) as usize;
    u64::from(region().pool[list].load(Relaxed)) | u64::from(region().pool[list + 1].load(Relaxed)) << 32
}

fn set_value(event: u32, value: u64) {
    let list = object(event).list.load(Relaxed) as usize;
    region().pool[list].store(value as u32, Relaxed);
    region().pool[list + 1].store((value >> 32) as u32, Relaxed);
    object(event).count.store(value.min(i32::MAX as u64) as i32, Relaxed);
    object(event).extra.fetch_add(1, Relaxed);
}

/// The counter of a description.
pub fn of(description: Description) -> u32 {
    description.record().list.load(Relaxed)
}

/// Changes with every change of the counter.
pub fn version(event: u32) -> u32 {
    object(event).extra.load(Relaxed)
}

pub fn can_take(event: u32) -> bool {
    value(event) > 0
}

/// Can so much be added?
pub fn can_put(event: u32, amount: u64) -> bool {
    amount > LARGEST || value(event) <= LARGEST - amount
}

#[unsafe(no_mangle)]
pub extern "C" fn eventfd(initial: u32, flags: i32) -> i32 {
    makes_descriptor(caller());
    let made = sys::call(EVENTFD2, initial as usize, flags as usize, 0, 0, 0, 0);
    if made >= 0 && controlled().is_some() {
        let place = u64::from(region().header.n_objects.load(Relaxed));
        let event = in_space(ObjectKind::Event, EVENTS, place, |event| {
            event.list.store(reserve(2), Relaxed);
            event.flavour.store(u8::from(flags & SEMAPHORE != 0), Relaxed);
        });
        set_value(event, u64::from(initial));
        let description = Description::new(what::EVENT, 0, 0, flags as u32);
        description.record().list.store(event, Relaxed);
        install(made as usize, description, flags & CLOSES_ON_EXEC != 0);
    }
    result(made) as i32
}

/// Takes all of the counter, or one.
pub fn read(
    me: usize,
    descriptor: usize,
    description: Description,
    vector: &Vector,
    mut manner: Manner,
) -> isize {
    if vector.length() < SIZE {
        return result(-(EINVAL as isize));
    }
    let event = of(description);
    loop {
        if manner.choice.wait_at(me, manner.taking(event, 0)).is_none() {
            return result(-(EINTR as isize));
        }
        if can_take(event) {
            break;
        }
        if manner.choice.fails(me, manner.place) {
            was_fruitless(me, manner.place);
            return result(-(EAGAIN as isize));
        }
    }
    let moved = sys::call(sys::READV, descriptor, vector.address(), vector.count(), 0, 0, 0);
    if moved > 0 {
        let is_semaphore = object(event).flavour.load(Relaxed) != 0;
        set_value(event, if is_semaphore { value(event) - 1 } else { 0 });
    }
    result(moved)
}

/// Adds to the counter.
pub fn write(
    me: usize,
    descriptor: usize,
    description: Description,
    vector: &Vector,
    mut manner: Manner,
) -> isize {
    let event = of(description);
    let amount = vector.first_number().unwrap_or(u64::MAX);
    loop {
        if manner.choice.wait_at(me, manner.putting(event, amount)).is_none() {
            return result(-(EINTR as isize));
        }
        if can_put(event, amount) {
            break;
        }
        if manner.choice.fails(me, manner.place) {
            was_fruitless(me, manner.place);
            return result(-(EAGAIN as isize));
        }
    }
    let moved = sys::call(sys::WRITEV, descriptor, vector.address(), vector.count(), 0, 0, 0);
    if moved > 0 {
        set_value(event, value(event) + amount);
    }
    result(moved)
}

#[unsafe(no_mangle)]
pub extern "C" fn eventfd_read(descriptor: i32, into: *mut u64) -> i32 {
    let (descriptor, vector) = (descriptor as usize, Vector::single(into as usize, 8));
    let read = modelled_read(descriptor, &vector, caller())
        .unwrap_or_else(|| result(sys::call(sys::READ, descriptor, into as usize, 8, 0, 0, 0)));
    if read == 8 { 0 } else { -1 }
}

#[unsafe(no_mangle)]
pub extern "C" fn eventfd_write(descriptor: i32, value: u64) -> i32 {
    let (descriptor, from) = (descriptor as usize, &raw const value as usize);
    let written = modelled_write(descriptor, &Vector::single(from, 8), caller())
        .unwrap_or_else(|| result(sys::call(sys::WRITE, descriptor, from, 8, 0, 0, 0)));
    if written == 8 { 0 } else { -1 }
}
