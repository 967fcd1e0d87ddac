//! What executions share although they should not, or need from outside: files that they write,
//! variables that they ask for, programs and libraries that they load.

use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

const FILES: usize = 1 << 10;
const BYTES: usize = 1 << 14;

/// Which execution wrote a file last. Not forgotten between executions.
#[repr(C)]
pub struct WrittenFiles {
    identities: [AtomicU64; FILES],
    executions: [AtomicU32; FILES],
    count: AtomicU32,
}

impl WrittenFiles {
    fn find(&self, identity: u64) -> Option<usize> {
        let count = (self.count.load(Relaxed) as usize).min(FILES);
        self.identities[..count].iter().position(|known| known.load(Relaxed) == identity)
    }

    pub fn last(&self, identity: u64) -> Option<u32> {
        self.find(identity).map(|number| self.executions[number].load(Relaxed))
    }

    /// Beyond so many files, no more are noted.
    pub fn note(&self, identity: u64, execution: u32) {
        let number = self.find(identity).unwrap_or(self.count.load(Relaxed) as usize);
        if number >= FILES {
            return;
        }
        self.identities[number].store(identity, Relaxed);
        self.executions[number].store(execution, Relaxed);
        self.count.fetch_max(number as u32 + 1, Relaxed);
    }
}

/// A set of names, each with a zero byte at its end.
#[repr(C)]
pub struct Names {
    bytes: [AtomicU8; BYTES],
    length: AtomicU32,
}

impl Names {
    fn length(&self) -> usize {
        (self.length.load(Relaxed) as usize).min(BYTES)
    }

    /// All of them, as they are kept.
    pub fn bytes(&self) -> impl Iterator<Item = u8> + '_ {
        self.bytes[..self.length()].iter().map(|byte| byte.load(Relaxed))
    }

    /// Adds a name, unless it is there; where there is no more room, it is left out.
    pub fn add(&self, name: &[u8]) {
        let length = self.length();
        let is_known = self.bytes[..length].split(|byte| byte.load(Relaxed) == 0).any(|known| {
            known.len() == name.len() && known.iter().zip(name).all(|(a, b)| a.load(Relaxed) == *b)
        });
        if is_known || name.is_empty() || length + name.len() + 1 > BYTES {
            return;
        }
        for (byte, letter) in self.bytes[length..].iter().zip(name.iter().chain(&[0])) {
            byte.store(*letter, Relaxed);
        }
        self.length.store((length + name.len() + 1) as u32, Relaxed);
    }

    pub fn clear(&self) {
        self.length.store(0, Relaxed);
    }
}
