//! Channels in packed states.
//!
//! A buffer is a row of messages of the same number of bits, oldest first; what is not in use is 0. If it fits into one
//! word it does (with the number of messages, if that fits too); then taking the first message out is one shift. Larger
//! buffers start at a word, and no message lies across the end of one unless it is larger than a word.

use std::sync::Arc;

use allways_system::{ChannelKind, Scalar};

use crate::field::{Field, Room, bits_for, bits_of_range};
use crate::packed::Packed;

/// The messages of a kind of channel.
#[derive(Debug)]
pub struct Messages {
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
    /// 0 if it is always 0.
    bits: u32,
    signed: bool,
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
    pub fn new(kind: &ChannelKind, ranges: &[(i32, i32)]) -> Messages {
        let mut room = Room { next: 0 };
        let mut fields = Vec::new();
        for (scalar, range) in kind.fields.iter().zip(ranges) {
            let (bits, signed) = bits_of_range(*range);
            let offset = room.bits(bits);
            fields.push(MessageField { scalar: *scalar, offset, bits, signed });
        }
        Messages { capacity: kind.capacity, fields, width: room.next }
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
        let mut length_room = Room { next: base + capacity * stride };
        let end = length_room.next.next_multiple_of(64);
        let length = length_room.field(length_bits, false);
        room.next = end.max(length_room.next);
        Channel { messages, length: Some(length), base, stride }
    }

    pub fn len(&self, words: &[u64]) -> u32 {
        self.length.map_or(0, |length| length.get(words) as u32)
    }

    /// A field of a message; none if it is always 0.
    pub fn field(&self, message: u32, index: usize) -> Option<Field> {
        let field = &self.messages.fields[index];
        (field.bits > 0)
            .then(|| Field::new(self.base + message * self.stride + field.offset, field.bits, field.signed))
    }

    pub fn value(&self, words: &[u64], message: u32, index: usize) -> i32 {
        self.field(message, index).map_or(0, |field| field.get(words))
    }

    /// Takes the first message out.
    pub fn shift(&self, state: &mut Packed) {
        let Some(length) = self.length else { return };
        let n = length.get(&state.words) as u32;
        let last = (self.base >> 6) as usize;
        if self.stride == 0 {
        } else if (self.base & 63) + n * self.stride <= 64 {
            let used = (u64::MAX >> (64 - n * self.stride)) << (self.base & 63);
            let word = state.words[last];
            let rest = if self.stride == 64 { 0 } else { (word & used) >> self.stride & used };
            state.write(last, word & !used | rest);
        } else if self.stride < 64 {
            let words = (n * self.stride).div_ceil(64) as usize;
            for i in 0..words - 1 {
                let (word, next) = (state.words[last + i], state.words[last + i + 1]);
                state.write(last + i, word >> self.stride | next << (64 - self.stride));
            }
            self.shift_last(state, last + words - 1, n);
        } else {
            let (words, step) = ((n * self.stride / 64) as usize, (self.stride / 64) as usize);
            for i in 0..words {
                let next = if i + step < words { state.words[last + i + step] } else { 0 };
                state.write(last + i, next);
            }
        }
        state.set(length, n as i32 - 1);
    }

    /// The last word that holds messages may hold something else above them.
    fn shift_last(&self, state: &mut Packed, at: usize, n: u32) {
        let bits = (n * self.stride - 1) % 64 + 1;
        let used = u64::MAX >> (64 - bits);
        let word = state.words[at];
        state.write(at, word & !used | (word & used) >> self.stride);
    }

    /// Takes out the message at a position.
    pub fn remove(&self, state: &mut Packed, at: u32) {
        if at == 0 {
            return self.shift(state);
        }
        let Some(length) = self.length else { return };
        let n = length.get(&state.words) as u32;
        for message in at..n - 1 {
            self.copy(state, message + 1, message);
        }
        self.clear(state, n - 1);
        state.set(length, n as i32 - 1);
    }

    /// Makes room for a message at a position of a buffer that is not full; the caller fills it.
    pub fn open(&self, state: &mut Packed, at: u32) {
        let Some(length) = self.length else { return };
        let n = length.get(&state.words) as u32;
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
                state.set(to, from.get(&state.words));
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
