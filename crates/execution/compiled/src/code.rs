//! Instructions: what expressions and statements become.
//!
//! Values live in registers (32 bits, signed). What models do all the time is one instruction: comparing a variable with
//! a constant, with another variable, setting it, adding to it. A *test* falls through if it holds and jumps otherwise,
//! so that a conjunction is a list of tests.

use std::sync::atomic::{AtomicBool, Ordering};

use allways_system::{BinaryOp, ChannelTest, LocationId, ProctypeId, Scalar, TransitionId, UnaryOp};

use crate::field::Field;
use crate::packed::Packed;

/// A register.
pub type Reg = u16;

/// A position in [`Instance::ops`](crate::instance::Instance::ops).
pub type Pc = u32;

/// Whether a variable's value is in a range, or outside it: every comparison with a constant is one of these.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct InRange {
    pub field: Field,
    pub low: i32,
    /// The highest value is `low + span`.
    pub span: u32,
    pub outside: bool,
}

impl InRange {
    #[inline(always)]
    pub fn holds(&self, state: &Packed) -> bool {
        self.holds_of(state.get(self.field))
    }

    /// The same, given the value.
    #[inline(always)]
    pub fn holds_of(&self, value: i32) -> bool {
        (value.wrapping_sub(self.low) as u32 <= self.span) != self.outside
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Op {
    /// The end of a guard.
    Answer(bool),
    /// The end of an expression.
    Return(Reg),
    /// The end of an effect.
    Done,
    Jump(Pc),
    InRange {
        test: InRange,
        otherwise: Pc,
    },
    Compare {
        op: BinaryOp,
        a: Field,
        b: Field,
        otherwise: Pc,
    },
    CompareRegs {
        op: BinaryOp,
        a: Reg,
        b: Reg,
        otherwise: Pc,
    },
    /// Like [`Op::InRange`], for a register.
    RegInRange {
        reg: Reg,
        low: i32,
        span: u32,
        outside: bool,
        otherwise: Pc,
    },
    Timeout {
        otherwise: Pc,
    },
    Const(Reg, i32),
    Load(Reg, Field),
    /// Adds `index * stride` to a slot number; a fault if the index is out of bounds.
    Index {
        slot: Reg,
        index: Reg,
        stride: u32,
        bound: u32,
    },
    /// The slot `base + index * stride`; a fault if the index, a variable, is out of bounds.
    IndexField {
        slot: Reg,
        base: u32,
        index: Field,
        stride: u16,
        bound: u32,
    },
    LoadGlobal {
        reg: Reg,
        slot: Reg,
    },
    LoadLocal {
        reg: Reg,
        slot: Reg,
    },
    Unary {
        op: UnaryOp,
        reg: Reg,
        a: Reg,
    },
    Binary {
        op: BinaryOp,
        reg: Reg,
        a: Reg,
        b: Reg,
    },
    BinaryConst {
        op: BinaryOp,
        reg: Reg,
        a: Reg,
        b: i32,
    },
    /// A fault unless the value fits the type.
    Fit {
        reg: Reg,
        scalar: Scalar,
    },
    Store(Field, Reg),
    StoreConst(Field, i32),
    AddConst(Field, i32),
    Copy {
        to: Field,
        from: Field,
    },
    StoreGlobal {
        slot: Reg,
        reg: Reg,
    },
    StoreLocal {
        slot: Reg,
        reg: Reg,
    },
    /// A question about a channel known only now.
    Channel {
        test: ChannelTest,
        reg: Reg,
        channel: Reg,
    },
    Poll {
        reg: Reg,
        poll: u32,
    },
    NonProgress(Reg),
    Accepting(Reg),
    Enabled {
        reg: Reg,
        pid: Reg,
    },
    PcValue {
        reg: Reg,
        pid: Reg,
    },
    Priority {
        reg: Reg,
        pid: Reg,
    },
    ProcessCount(Reg),
    Last(Reg),
    At {
        reg: Reg,
        proctype: ProctypeId,
        /// None for the first instance.
        pid: Option<Reg>,
        location: LocationId,
    },
    Remote {
        reg: Reg,
        remote: u32,
        pid: Option<Reg>,
    },
    /// Sends on a buffered channel.
    Send(u32),
    /// Receives from a buffered channel.
    Receive(u32),
    /// Takes the first message out of a channel that lies in one word.
    Shift {
        channel: u32,
    },
    /// Another step inside a `d_step`, which must not go on for ever.
    Tick,
    AssertionFailed,
    Run(u32),
    SetPriority {
        pid: Reg,
        priority: Reg,
    },
    DStep {
        entry: LocationId,
        exit: LocationId,
    },
    Terminate,
    /// Notes the use of a channel that another process may have claimed.
    Exclusive {
        use_: u32,
        receive: bool,
    },
    Fault,
}

/// A value that is known, in a variable, or to be worked out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    Const(i32),
    Field(Field),
    Code(Pc),
}

/// When an edge is enabled.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Guard {
    Always,
    /// If nothing before it in its group is.
    Else,
    Test(InRange),
    /// Several of [`Instance::tests`](crate::instance::Instance::tests), all of which must hold.
    Tests {
        first: u32,
        end: u32,
    },
    Code(Pc),
    /// A send on a channel known only at run time, perhaps a rendezvous.
    Send(u32),
    /// A send on a rendezvous channel.
    Handshake(u32),
    /// A receive from a channel known only at run time.
    Receive(u32),
    /// Enabled for the youngest process.
    Youngest,
    DStep(LocationId),
    /// A receive on a rendezvous channel is never a step of its own.
    Never,
}

/// What an edge does, apart from going to its target.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Effect {
    Nothing,
    Set(Field, i32),
    Add(Field, i32),
    Copy { to: Field, from: Field },
    Code(Pc),
}

/// A transition of one process.
#[derive(Debug)]
pub struct Edge {
    pub transition: TransitionId,
    pub guard: Guard,
    pub effect: Effect,
    /// Evaluated once more when the step is taken, because that may fault.
    pub recheck: bool,
    pub target: LocationId,
    /// The same as an index into [`Instance::resting`](crate::Instance::resting), unless it is inside a `d_step`.
    pub resting_target: i32,
    pub atomic: bool,
    /// The receive that it begins with: its own, or the first one of its `d_step`.
    pub receive: Option<u32>,
    /// Variables that are set to 0 after the step.
    pub resets: Box<[Field]>,
    /// Whether anybody ever took it.
    pub taken: AtomicBool,
}

impl Edge {
    /// Notes that it was taken. Looks first: the line is shared by all threads.
    #[inline(always)]
    pub fn take(&self) {
        if !self.taken.load(Ordering::Relaxed) {
            self.taken.store(true, Ordering::Relaxed);
        }
    }
}

/// Which channel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ChannelRef {
    /// One that exists as long as the process does.
    Known {
        /// Index into [`Instance::channels`](crate::instance::Instance::channels).
        at: u32,
        /// Its position among the live ones.
        position: u32,
    },
    Handle(Value),
}

#[derive(Clone, PartialEq, Debug)]
pub struct SendCode {
    pub channel: ChannelRef,
    pub sorted: bool,
    pub values: Box<[Value]>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ReceiveCode {
    pub channel: ChannelRef,
    pub random: bool,
    pub keep: bool,
    pub patterns: Box<[PatternCode]>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum PatternCode {
    Ignore,
    Match(Value),
    /// Into a variable that is always the same...
    Store(Field),
    /// ...or into the one that this code finds; it expects the value in register 0.
    StoreBy(Pc),
}

#[derive(Clone, PartialEq, Debug)]
pub struct RunCode {
    pub proctype: ProctypeId,
    pub arguments: Box<[Value]>,
    pub priority: Option<Value>,
    /// Stores the new pid, which it expects in register 0.
    pub result: Option<Pc>,
}
