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
        grow(&mut self.words, at);
        let shift = node % 32 * 2;
        self.words[at] = self.words[at] & !(3 << shift) | (colour as u64) << shift;
    }

    pub fn bytes(&self) -> u64 {
        self.words.capacity() as u64 * 8
    }
}

/// Makes room for an index, and for a sixteenth more than there is: numbers come in order, more or less.
fn grow<T: Copy + Default>(list: &mut Vec<T>, index: usize) {
    if index >= list.len() {
        let length = (index + 1).max(list.len() + list.len() / 16);
        list.reserve_exact(length - list.len());
        list.resize(length, T::default());
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
        grow(&mut self.numbers, at);
        self.numbers[at] = number;
    }

    pub fn bytes(&self) -> u64 {
        self.numbers.capacity() as u64 * 4
    }
}
