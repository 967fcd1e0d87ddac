//! A few bits for every node.

use super::product::Node;

/// Two bits per node.
#[derive(Default)]
pub struct Colours {
    words: Vec<u64>,
}

/// What a nested search knows of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// Not met.
    White,
    /// On the path of the outer search.
    Cyan,
    /// Left by the outer search.
    Blue,
    /// Left by the inner search as well.
    Red,
}

impl Colours {
    pub fn get(&self, node: Node) -> Colour {
        let word = self.words.get((node / 32) as usize).copied().unwrap_or(0);
        match word >> (node % 32 * 2) & 3 {
            0 => Colour::White,
            1 => Colour::Cyan,
            2 => Colour::Blue,
            _ => Colour::Red,
        }
    }

    pub fn set(&mut self, node: Node, colour: Colour) {
        let at = (node / 32) as usize;
        if at >= self.words.len() {
            // Numbers come in order, more or less.
            self.words.resize((at + 1).max(self.words.len() + self.words.len() / 8), 0);
        }
        let shift = node % 32 * 2;
        self.words[at] = self.words[at] & !(3 << shift) | (colour as u64) << shift;
    }

    pub fn bytes(&self) -> u64 {
        self.words.capacity() as u64 * 8
    }
}

/// A number per node.
#[derive(Default)]
pub struct Numbers {
    numbers: Vec<u32>,
}

impl Numbers {
    pub fn get(&self, node: Node) -> u32 {
        self.numbers.get(node as usize).copied().unwrap_or(0)
    }

    pub fn set(&mut self, node: Node, number: u32) {
        let at = node as usize;
        if at >= self.numbers.len() {
            self.numbers.resize((at + 1).max(self.numbers.len() + self.numbers.len() / 8), 0);
        }
        self.numbers[at] = number;
    }

    pub fn bytes(&self) -> u64 {
        self.numbers.capacity() as u64 * 4
    }
}
