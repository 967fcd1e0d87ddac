//! A small manager of binary decision diagrams: ordered, reduced, each function stored once.
//!
//! Formulas, labels and signatures of states are all functions of a few variables, and being able to compare them with
//! `==` is what makes the rest simple. Nothing is ever freed; a manager lives as long as one translation. One that grows
//! past its limit says so in [`Bdds::overflow`] and from then on returns nonsense quickly, so that only the driver of a
//! pass has to look.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Cube, Label, Watch};

/// A function; equal functions of one manager are equal values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Bdd(u32);

impl Bdd {
    /// The function that is false everywhere.
    pub const FALSE: Bdd = Bdd(0);
    /// The function that is true everywhere.
    pub const TRUE: Bdd = Bdd(1);

    /// Whether it is false everywhere.
    pub fn is_false(self) -> bool {
        self == Bdd::FALSE
    }

    /// Whether it is true everywhere.
    pub fn is_true(self) -> bool {
        self == Bdd::TRUE
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    variable: u32,
    low: Bdd,
    high: Bdd,
}

/// A product of literals: variable and sign, in ascending order.
pub(crate) type Product = Vec<(u32, bool)>;

/// Functions of variables, each stored once.
pub struct Bdds {
    nodes: Vec<Node>,
    unique: FxHashMap<Node, Bdd>,
    ands: FxHashMap<(Bdd, Bdd), Bdd>,
    ors: FxHashMap<(Bdd, Bdd), Bdd>,
    implications: FxHashMap<(Bdd, Bdd), bool>,
    nots: FxHashMap<Bdd, Bdd>,
    limit: usize,
    /// What is asked whether to go on, after how many operations, and how many bytes it knows of.
    watch: Option<Watch>,
    unwatched: u32,
    known_bytes: u64,
    /// Bytes of what the user of these functions keeps beside them.
    pub(crate) beside: u64,
    /// The limit was reached; no result can be trusted any more.
    pub overflow: bool,
}

const LEAF: u32 = u32::MAX;

/// How many operations there are between two looks at a watch.
const UNWATCHED: u32 = 4096;

impl Bdds {
    /// A manager of functions with at most so many nodes.
    pub fn new(limit: usize) -> Bdds {
        Bdds::watched(limit, None)
    }

    /// The same under a watch.
    pub(crate) fn watched(limit: usize, watch: Option<Watch>) -> Bdds {
        let leaf = |b| Node { variable: LEAF, low: b, high: b };
        let mut bdds = Bdds {
            nodes: vec![leaf(Bdd::FALSE), leaf(Bdd::TRUE)],
            unique: FxHashMap::default(),
            ands: FxHashMap::default(),
            ors: FxHashMap::default(),
            implications: FxHashMap::default(),
            nots: FxHashMap::default(),
            limit,
            watch,
            unwatched: 0,
            known_bytes: 0,
            beside: 0,
            overflow: false,
        };
        bdds.look();
        bdds
    }

    /// Looks at the watch every [`UNWATCHED`] operations.
    fn count_operation(&mut self) {
        self.unwatched += 1;
        if self.unwatched >= UNWATCHED {
            self.look();
        }
    }

    fn look(&mut self) {
        self.unwatched = 0;
        let Some(watch) = &self.watch else { return };
        let bytes = self.bytes();
        self.overflow |= !watch.goes_on(self.known_bytes, bytes);
        self.known_bytes = bytes;
    }

    /// What all this takes, or will take before the next look.
    fn bytes(&self) -> u64 {
        fn table<K, V>(table: &FxHashMap<K, V>) -> usize {
            places::<(K, V)>(table.len(), table.capacity())
        }
        // What is about to grow lies in two places while it is moved, and the new one is twice as large.
        fn places<T>(length: usize, capacity: usize) -> usize {
            let grows = length + UNWATCHED as usize > capacity;
            // A table has a byte more for each place, and leaves one place of eight free.
            let place = (size_of::<T>() + 1) * 8 / 7;
            capacity * place * if grows { 3 } else { 1 }
        }
        let tables = table(&self.unique)
            + table(&self.ands)
            + table(&self.ors)
            + table(&self.implications)
            + table(&self.nots);
        (tables + places::<Node>(self.nodes.len(), self.nodes.capacity())) as u64 + self.beside
    }

    fn node(&mut self, variable: u32, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        self.count_operation();
        let node = Node { variable, low, high };
        if let Some(known) = self.unique.get(&node) {
            return *known;
        }
        if self.nodes.len() >= self.limit {
            self.overflow = true;
            return Bdd::FALSE;
        }
        let bdd = Bdd(self.nodes.len() as u32);
        self.nodes.push(node);
        self.unique.insert(node, bdd);
        bdd
    }

    pub(crate) fn literal(&mut self, variable: u32, positive: bool) -> Bdd {
        if positive {
            self.node(variable, Bdd::FALSE, Bdd::TRUE)
        } else {
            self.node(variable, Bdd::TRUE, Bdd::FALSE)
        }
    }

    /// The function that is a variable.
    pub fn variable(&mut self, variable: u32) -> Bdd {
        self.literal(variable, true)
    }

    /// The topmost variable; larger than every other for constants.
    pub(crate) fn top(&self, f: Bdd) -> u32 {
        self.nodes[f.0 as usize].variable
    }

    pub(crate) fn cofactors(&self, f: Bdd, variable: u32) -> (Bdd, Bdd) {
        let node = self.nodes[f.0 as usize];
        if node.variable == variable { (node.low, node.high) } else { (f, f) }
    }

    /// The complement.
    pub fn not(&mut self, f: Bdd) -> Bdd {
        if f.0 <= 1 {
            return Bdd(1 - f.0);
        }
        if let Some(known) = self.nots.get(&f) {
            return *known;
        }
        let Node { variable, low, high } = self.nodes[f.0 as usize];
        let (low, high) = (self.not(low), self.not(high));
        let result = self.node(variable, low, high);
        self.nots.insert(f, result);
        self.nots.insert(result, f);
        result
    }

    /// What both functions have.
    pub fn and(&mut self, a: Bdd, b: Bdd) -> Bdd {
        if a == b || b.is_true() {
            return a;
        }
        if a.is_true() {
            return b;
        }
        if a.is_false() || b.is_false() || self.overflow {
            return Bdd::FALSE;
        }
        let key = if a < b { (a, b) } else { (b, a) };
        if let Some(known) = self.ands.get(&key) {
            return *known;
        }
        let variable = self.top(a).min(self.top(b));
        let (a0, a1) = self.cofactors(a, variable);
        let (b0, b1) = self.cofactors(b, variable);
        let (low, high) = (self.and(a0, b0), self.and(a1, b1));
        let result = self.node(variable, low, high);
        self.ands.insert(key, result);
        result
    }

    /// What one of the functions has.
    pub fn or(&mut self, a: Bdd, b: Bdd) -> Bdd {
        if a == b || b.is_false() || a.is_true() {
            return a;
        }
        if a.is_false() || b.is_true() {
            return b;
        }
        if self.overflow {
            return Bdd::FALSE;
        }
        let key = if a < b { (a, b) } else { (b, a) };
        if let Some(known) = self.ors.get(&key) {
            return *known;
        }
        let variable = self.top(a).min(self.top(b));
        let (a0, a1) = self.cofactors(a, variable);
        let (b0, b1) = self.cofactors(b, variable);
        let (low, high) = (self.or(a0, b0), self.or(a1, b1));
        let result = self.node(variable, low, high);
        self.ors.insert(key, result);
        result
    }

    /// What the first function has and the second has not.
    pub fn minus(&mut self, a: Bdd, b: Bdd) -> Bdd {
        let b = self.not(b);
        self.and(a, b)
    }

    pub(crate) fn implies(&mut self, a: Bdd, b: Bdd) -> bool {
        if a == b || a.is_false() || b.is_true() {
            return true;
        }
        if a.is_true() || b.is_false() {
            return false;
        }
        if let Some(known) = self.implications.get(&(a, b)) {
            return *known;
        }
        self.count_operation();
        if self.overflow {
            return false;
        }
        let variable = self.top(a).min(self.top(b));
        let (a0, a1) = self.cofactors(a, variable);
        let (b0, b1) = self.cofactors(b, variable);
        let result = self.implies(a0, b0) && self.implies(a1, b1);
        self.implications.insert((a, b), result);
        result
    }

    /// The set of letters that a label allows.
    pub(crate) fn of_label(&mut self, label: &Label) -> Bdd {
        let mut result = Bdd::FALSE;
        for cube in &label.cubes {
            let mut product = Bdd::TRUE;
            for variable in (0..64).rev() {
                let bit = 1u64 << variable;
                if (cube.ones | cube.zeros) & bit != 0 {
                    let literal = self.literal(variable, cube.ones & bit != 0);
                    product = self.and(literal, product);
                }
            }
            result = self.or(result, product);
        }
        result
    }

    /// The other way; none if that needs more cubes than allowed.
    pub fn label_of(&mut self, f: Bdd, max_cubes: usize) -> Option<Label> {
        let mut cubes: Vec<Cube> = self
            .products(f, max_cubes)?
            .into_iter()
            .map(|product| {
                product.into_iter().fold(Cube::TRUE, |cube, (variable, positive)| {
                    let bit = 1u64 << variable;
                    if positive {
                        Cube { ones: cube.ones | bit, ..cube }
                    } else {
                        Cube { zeros: cube.zeros | bit, ..cube }
                    }
                })
            })
            .collect();
        cubes.sort_unstable();
        Some(Label { cubes })
    }

    /// An irredundant sum of products (Minato, Morreale); none if it needs more products than allowed.
    pub(crate) fn products(&mut self, f: Bdd, max: usize) -> Option<Vec<Product>> {
        let (mut products, _) = self.cover(f, f, max)?;
        for product in &mut products {
            product.reverse();
        }
        products.sort_unstable();
        Some(products)
    }

    /// Products between `lower` and `upper`, literals in descending order, and the function they make.
    fn cover(&mut self, lower: Bdd, upper: Bdd, max: usize) -> Option<(Vec<Product>, Bdd)> {
        // Nonsense need not get smaller.
        if self.overflow {
            return None;
        }
        if lower.is_false() {
            return Some((Vec::new(), Bdd::FALSE));
        }
        if upper.is_true() {
            return Some((vec![Vec::new()], Bdd::TRUE));
        }
        let variable = self.top(lower).min(self.top(upper));
        let (l0, l1) = self.cofactors(lower, variable);
        let (u0, u1) = self.cofactors(upper, variable);
        let need0 = self.minus(l0, u1);
        let need1 = self.minus(l1, u0);
        let (mut zeros, f0) = self.cover(need0, u0, max)?;
        let (mut ones, f1) = self.cover(need1, u1, max)?;
        let rest0 = self.minus(l0, f0);
        let rest1 = self.minus(l1, f1);
        let rest = self.or(rest0, rest1);
        let both = self.and(u0, u1);
        let (mut products, f) = self.cover(rest, both, max)?;
        zeros.iter_mut().for_each(|p| p.push((variable, false)));
        ones.iter_mut().for_each(|p| p.push((variable, true)));
        let (low, high) = (self.or(f0, f), self.or(f1, f));
        let made = self.node(variable, low, high);
        products.append(&mut zeros);
        products.append(&mut ones);
        (products.len() <= max && !self.overflow).then_some((products, made))
    }

    /// Splits by the variables below `border`: disjoint functions of those, each with what is left of `f` under it.
    /// The parts whose rest is false are left out; no two rests are equal.
    pub(crate) fn split(&mut self, f: Bdd, border: u32) -> Vec<(Bdd, Bdd)> {
        // What leads to each node, from the top; nodes are visited in the order of variables.
        let mut order: Vec<Bdd> = Vec::new();
        self.collect(f, border, &mut order, &mut FxHashSet::default());
        let mut reach: FxHashMap<Bdd, Bdd> = FxHashMap::default();
        reach.insert(f, Bdd::TRUE);
        let mut rests = Vec::new();
        for node in order.into_iter().rev() {
            let under = reach[&node];
            if self.top(node) >= border {
                if !node.is_false() {
                    rests.push((under, node));
                }
                continue;
            }
            let Node { variable, low, high } = self.nodes[node.0 as usize];
            for (child, positive) in [(low, false), (high, true)] {
                let literal = self.literal(variable, positive);
                let more = self.and(under, literal);
                let before = reach.get(&child).copied().unwrap_or(Bdd::FALSE);
                let now = self.or(before, more);
                reach.insert(child, now);
            }
        }
        rests
    }

    /// Whether [`Bdds::split`] would return more parts than this.
    pub(crate) fn has_parts(&self, f: Bdd, border: u32, more_than: usize) -> bool {
        let mut seen: FxHashSet<Bdd> = FxHashSet::default();
        let mut todo = vec![f];
        let mut n_parts = 0;
        while let Some(f) = todo.pop() {
            if !seen.insert(f) {
                continue;
            }
            let node = self.nodes[f.0 as usize];
            if node.variable < border {
                todo.extend([node.low, node.high]);
            } else if !f.is_false() {
                n_parts += 1;
                if n_parts > more_than {
                    return true;
                }
            }
        }
        false
    }

    /// The product of literals in ascending order.
    pub(crate) fn product(&mut self, literals: &[(u32, bool)]) -> Bdd {
        literals.iter().rev().fold(Bdd::TRUE, |rest, (variable, positive)| {
            let literal = self.literal(*variable, *positive);
            self.and(literal, rest)
        })
    }

    /// Nodes down to the border, children before parents.
    fn collect(&self, f: Bdd, border: u32, order: &mut Vec<Bdd>, seen: &mut FxHashSet<Bdd>) {
        if !seen.insert(f) {
            return;
        }
        let node = self.nodes[f.0 as usize];
        if node.variable < border {
            self.collect(node.low, border, order, seen);
            self.collect(node.high, border, order, seen);
        }
        order.push(f);
    }

    /// The variables on which the function depends, ascending.
    pub(crate) fn support(&self, f: Bdd) -> Vec<u32> {
        let mut order = Vec::new();
        self.collect(f, LEAF, &mut order, &mut FxHashSet::default());
        let mut variables: Vec<u32> = order.into_iter().map(|n| self.top(n)).filter(|v| *v != LEAF).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }
}

impl Drop for Bdds {
    fn drop(&mut self) {
        if let Some(watch) = &self.watch {
            watch.give_back(self.known_bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(bdds: &Bdds, f: Bdd, letter: u32) -> bool {
        let mut at = f;
        while at.0 > 1 {
            let v = bdds.top(at);
            let (low, high) = bdds.cofactors(at, v);
            at = if letter >> v & 1 == 1 { high } else { low };
        }
        at.is_true()
    }

    /// Builds the function with a given truth table over three variables.
    fn of_table(bdds: &mut Bdds, table: u32) -> Bdd {
        let mut f = Bdd::FALSE;
        for letter in (0..8).filter(|l| table >> l & 1 == 1) {
            let mut product = Bdd::TRUE;
            for v in 0..3 {
                let literal = bdds.literal(v, letter >> v & 1 == 1);
                product = bdds.and(product, literal);
            }
            f = bdds.or(f, product);
        }
        f
    }

    #[test]
    fn all_functions_of_three_variables() {
        let mut bdds = Bdds::new(1 << 20);
        let functions: Vec<Bdd> = (0..256).map(|table| of_table(&mut bdds, table)).collect();
        for (table, f) in functions.iter().enumerate() {
            for letter in 0..8 {
                assert_eq!(value(&bdds, *f, letter), table >> letter & 1 == 1);
            }
            let label = bdds.label_of(*f, 100).unwrap();
            assert_eq!(bdds.of_label(&label), *f);
            for (i, cube) in label.cubes.iter().enumerate() {
                let mut fewer = label.clone();
                fewer.cubes.remove(i);
                assert_ne!(bdds.of_label(&fewer), *f, "{cube:?} is redundant");
            }
            let parts = bdds.split(*f, 2);
            let mut whole = Bdd::FALSE;
            for (under, rest) in parts {
                let part = bdds.and(under, rest);
                assert!(bdds.and(whole, part).is_false());
                whole = bdds.or(whole, part);
            }
            assert_eq!(whole, *f);
            assert_eq!(bdds.not(*f), functions[255 - table]);
        }
        assert_eq!(bdds.and(functions[0b1100], functions[0b1010]), functions[0b1000]);
        assert_eq!(bdds.or(functions[0b1100], functions[0b1010]), functions[0b1110]);
    }
}
