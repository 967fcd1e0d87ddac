//! Channels in packed states.
//!
//! A buffer is a row of messages of the same number of bits, oldest first; what is not in use is 0. If it fits into one
//! word it does (with the number of messages, if that fits too); then taking the first message out is one shift. Larger
//! buffers start at a word, and no message lies across the end of one unless it is larger than a word.

use std::sync::Arc;

use allways_system::{ChannelKind, Scalar};

use crate::field::{Field, Room, bits_for};
use crate::observed::Width;
use crate::packed::Packed;

/// The messages of a kind of channel.
#[derive(Debug)]
pub struct Messages {
    /// The number of their kind.
    pub kind: u32,
    pub capacity: u32,
    pub fields: Vec<MessageField>,
    /// Bits of one message, packed as tightly as possible.
    width: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct MessageField {
    pub scalar: Scalar,
    /// From the start of the message.
    offset: u32,
    /// No bits if it is always 0.
    width: Width,
}

/// A live channel: where it is.
#[derive(Clone, Debug)]
pub struct Channel {
    pub messages: Arc<Messages>,
    /// How many messages there are; none for a rendezvous channel.
    pub length: Option<Field>,
    /// The first bit of the buffer.
    base: u32,
    /// Bits from one message to the next.
    stride: u32,
}

impl Messages {
    pub fn new(number: u32, kind: &ChannelKind, widths: &[Width]) -> Messages {
        let mut room = Room { next: 0, per_word: 64 };
        let mut fields = Vec::new();
        for (scalar, width) in kind.fields.iter().zip(widths) {
            fields.push(MessageField { scalar: *scalar, offset: room.bits(width.bits), width: *width });
        }
        Messages { kind: number, capacity: kind.capacity, fields, width: room.next }
    }

    pub fn is_rendezvous(&self) -> bool {
        self.capacity == 0
    }
}

impl Channel {
    pub fn new(messages: &Arc<Messages>, room: &mut Room) -> Channel {
        let messages = messages.clone();
        let (capacity, width) = (messages.capacity, messages.width);
        if capacity == 0 {
            return Channel { messages, length: None, base: 0, stride: 0 };
        }
        let length_bits = bits_for(capacity);
        let buffer = capacity as u64 * width as u64;
        if buffer <= 64 {
            let buffer = buffer as u32;
            if buffer + length_bits <= 64 {
                room.fit(buffer + length_bits);
            }
            let length = Some(room.field(length_bits, false));
            let base = room.bits(buffer);
            return Channel { messages, length, base, stride: width };
        }
        room.align();
        let stride = if width <= 64 { width.next_power_of_two() } else { width.next_multiple_of(64) };
        let base = room.next;
        let mut length_room = Room { next: base + capacity * stride, per_word: 64 };
        let end = length_room.next.next_multiple_of(64);
        let length = length_room.field(length_bits, false);
        room.next = end.max(length_room.next);
        Channel { messages, length: Some(length), base, stride }
    }

    pub fn len(&self, state: &Packed) -> u32 {
        self.length.map_or(0, |length| state.get(length) as u32)
    }

    /// A field of a message; none if it is always 0.
    pub fn field(&self, message: u32, index: usize) -> Option<Field> {
        let field = &self.messages.fields[index];
        let bit = self.base + message * self.stride + field.offset;
        (field.width.bits > 0).then(|| field.width.field(bit, field.scalar))
    }

    /// Which field of its messages this is, if it is one.
    pub fn field_at(&self, field: Field) -> Option<u32> {
        let fields = 0..self.messages.fields.len();
        let messages = 0..self.messages.capacity;
        fields
            .filter(|index| messages.clone().any(|message| self.field(message, *index) == Some(field)))
            .map(|index| index as u32)
            .next()
    }

    pub fn value(&self, state: &Packed, message: u32, index: usize) -> i32 {
        self.field(message, index).map_or(0, |field| state.get(field))
    }

    /// Takes the first message out.
    pub fn shift(&self, state: &mut Packed) {
        let Some(length) = self.length else { return };
        let n = state.get(length) as u32;
        let last = (self.base >> 6) as usize;
        if self.stride == 0 {
        } else if (self.base & 63) + n * self.stride <= 64 {
            let used = (u64::MAX >> (64 - n * self.stride)) << (self.base & 63);
            let rest = if self.stride == 64 { 0 } else { state.bits(last, used) >> self.stride & used };
            state.write(last, state.words[last] & !used | rest, used);
        } else if self.stride < 64 {
            let words = (n * self.stride).div_ceil(64) as usize;
            let first_message = u64::MAX >> (64 - self.stride);
            for i in 0..words - 1 {
                let (word, next) = (state.bits(last + i, u64::MAX), state.bits(last + i + 1, first_message));
                state.write(last + i, word >> self.stride | next << (64 - self.stride), u64::MAX);
            }
            self.shift_last(state, last + words - 1, n);
        } else {
            let (words, step) = ((n * self.stride / 64) as usize, (self.stride / 64) as usize);
            for i in 0..words {
                let next = if i + step < words { state.bits(last + i + step, u64::MAX) } else { 0 };
                state.write(last + i, next, u64::MAX);
            }
        }
        state.set(length, n as i32 - 1);
    }

    /// The last word that holds messages may hold something else above them.
    fn shift_last(&self, state: &mut Packed, at: usize, n: u32) {
        let bits = (n * self.stride - 1) % 64 + 1;
        let used = u64::MAX >> (64 - bits);
        let rest = state.bits(at, used) >> self.stride;
        state.write(at, state.words[at] & !used | rest, used);
    }

    /// Takes out the message at a position.
    pub fn remove(&self, state: &mut Packed, at: u32) {
        if at == 0 {
            return self.shift(state);
        }
        let Some(length) = self.length else { return };
        let n = state.get(length) as u32;
        for message in at..n - 1 {
            self.copy(state, message + 1, message);
        }
        self.clear(state, n - 1);
        state.set(length, n as i32 - 1);
    }

    /// Makes room for a message at a position of a buffer that is not full; the caller fills it.
    pub fn open(&self, state: &mut Packed, at: u32) {
        let Some(length) = self.length else { return };
        let n = state.get(length) as u32;
        for message in (at..n).rev() {
            self.copy(state, message, message + 1);
        }
        state.set(length, n as i32 + 1);
    }

    pub fn put(&self, state: &mut Packed, message: u32, values: &[i32]) {
        for (index, value) in values.iter().enumerate() {
            if let Some(field) = self.field(message, index) {
                state.set(field, *value);
            }
        }
    }

    fn copy(&self, state: &mut Packed, from: u32, to: u32) {
        for index in 0..self.messages.fields.len() {
            if let (Some(from), Some(to)) = (self.field(from, index), self.field(to, index)) {
                state.set(to, state.get(from));
            }
        }
    }

    fn clear(&self, state: &mut Packed, message: u32) {
        for index in 0..self.messages.fields.len() {
            if let Some(field) = self.field(message, index) {
                state.set(field, 0);
            }
        }
    }
}
