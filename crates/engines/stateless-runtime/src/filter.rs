//! Which system calls the kernel carries out in this process, and which it holds back (`seccomp`).
//!
//! The rules are asked one after another. What no rule lets pass is held back: the thread gets a `SIGSYS`, see `direct`.

use core::ops::Range;

use crate::sys::{self, unchecked};

/// An instruction of the kernel's small machine.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Instruction {
    code: u16,
    /// How many instructions to leave out if so, and if not.
    yes: u8,
    no: u8,
    value: u32,
}

const LOAD: u16 = 0x20;
const IS_EQUAL: u16 = 0x15;
const IS_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;

const ALLOW: u32 = 0x7fff_0000;
const HOLD_BACK: u32 = 0x0003_0000;

/// Where the kernel tells about the call.
mod at {
    pub const NUMBER: u32 = 0;
    pub const MACHINE: u32 = 4;
    pub const PLACE: u32 = 8;
    pub const PLACE_ABOVE: u32 = 12;
    pub const ARGUMENTS: u32 = 16;
}

const MOST: usize = 128;

/// Rules, in their order.
pub struct Filter {
    code: [Instruction; MOST],
    length: usize,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter { code: [Instruction::default(); MOST], length: 0 }
    }
}

impl Filter {
    fn add(&mut self, code: u16, value: u32, yes: u8, no: u8) {
        if let Some(place) = self.code.get_mut(self.length) {
            *place = Instruction { code, yes, no, value };
        }
        self.length += 1;
    }

    fn load(&mut self, from: u32) {
        self.add(LOAD, from, 0, 0);
    }

    fn end(&mut self, how: u32) {
        self.add(RETURN, how, 0, 0);
    }

    /// Holds back calls for 32-bit programs.
    pub fn only_this_machine(&mut self) {
        const THIS_MACHINE: u32 = 0xc000_003e;
        self.load(at::MACHINE);
        self.add(IS_EQUAL, THIS_MACHINE, 1, 0);
        self.end(HOLD_BACK);
    }

    /// Holds back what is called far from an address.
    pub fn only_near(&mut self, address: usize) {
        self.load(at::PLACE_ABOVE);
        self.add(IS_EQUAL, (address >> 32) as u32, 1, 0);
        self.end(HOLD_BACK);
        self.load(at::PLACE);
    }

    /// Lets pass what is called from some code, after [`Filter::only_near`].
    pub fn allow_from(&mut self, code: Range<usize>) {
        self.add(IS_AT_LEAST, code.start as u32, 0, 2);
        self.add(IS_AT_LEAST, code.end as u32, 1, 0);
        self.end(ALLOW);
    }

    /// Holds back what is called from anywhere else, after [`Filter::only_near`]. From then on it is the number of the call that counts.
    pub fn only_from(&mut self, code: Range<usize>) {
        self.add(IS_AT_LEAST, code.start as u32, 1, 0);
        self.end(HOLD_BACK);
        self.add(IS_AT_LEAST, code.end as u32, 0, 1);
        self.end(HOLD_BACK);
        self.load(at::NUMBER);
    }

    /// Lets a call pass.
    pub fn allow(&mut self, number: usize) {
        self.add(IS_EQUAL, number as u32, 0, 1);
        self.end(ALLOW);
    }

    /// Lets a call pass if this argument is one of these.
    pub fn allow_with(&mut self, number: usize, argument: u32, values: &[u32]) {
        self.add(IS_EQUAL, number as u32, 0, 2 + 2 * values.len() as u8);
        self.load(at::ARGUMENTS + 8 * argument);
        for value in values {
            self.add(IS_EQUAL, *value, 0, 1);
            self.end(ALLOW);
        }
        self.end(HOLD_BACK);
    }

    /// From now on the kernel follows the rules, in this thread and those that it makes.
    pub fn install(mut self) -> bool {
        const NO_NEW_PRIVILEGES: usize = 38;
        const SECCOMP: usize = 317;
        const SET_FILTER: usize = 1;
        self.end(HOLD_BACK);
        if self.length > MOST {
            return false;
        }
        let program = Program { length: self.length as u16, code: self.code.as_ptr() };
        unchecked(sys::PRCTL, NO_NEW_PRIVILEGES, 1, 0, 0, 0, 0) == 0
            && unchecked(SECCOMP, SET_FILTER, 0, &raw const program as usize, 0, 0, 0) == 0
    }
}

/// As the kernel wants it.
#[repr(C)]
struct Program {
    length: u16,
    code: *const Instruction,
}
