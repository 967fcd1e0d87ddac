//! What follows from what, by the shape of formulas. Never wrong, often silent.

use crate::terms::{Node, Term, Terms};

impl Terms {
    /// Whether the second holds on every word on which the first does; `false` means that it is not seen.
    pub fn implies(&mut self, a: Term, b: Term) -> bool {
        if a == b || a == Terms::FALSE || b == Terms::TRUE {
            return true;
        }
        if a == Terms::TRUE || b == Terms::FALSE {
            return false;
        }
        if let (Some(x), Some(y)) = (self.boolean(a), self.boolean(b)) {
            return self.bdds.implies(x, y);
        }
        if let Some(known) = self.implications.get(&(a, b)) {
            return *known;
        }
        let result = self.split_sides(a, b)
            || self.follows_from_left(a, b)
            || self.suffices_for_right(a, b)
            || self.pointwise(a, b);
        self.implications.insert((a, b), result);
        result
    }

    /// Conjunctions and disjunctions, part by part.
    fn split_sides(&mut self, a: Term, b: Term) -> bool {
        if let Node::Or(parts) = self.node(a).clone() {
            return parts.iter().all(|p| self.implies(*p, b));
        }
        if let Node::And(parts) = self.node(b).clone() {
            return parts.iter().all(|p| self.implies(a, *p));
        }
        if let Node::And(parts) = self.node(a).clone()
            && parts.iter().any(|p| self.implies(*p, b))
        {
            return true;
        }
        if let Node::Or(parts) = self.node(b).clone() {
            return parts.iter().any(|p| self.implies(a, *p));
        }
        false
    }

    /// What the left side says about now or about some later moment.
    fn follows_from_left(&mut self, a: Term, b: Term) -> bool {
        let eventual = self.is_eventual(b);
        match *self.node(a) {
            Node::F(f) => eventual && self.implies(f, b),
            Node::G(f) => self.implies(f, b),
            Node::X(f) => eventual && self.implies(f, b),
            Node::U(f, g) => self.implies(g, b) && (eventual || self.implies(f, b)),
            Node::W(f, g) => self.implies(f, b) && self.implies(g, b),
            Node::R(_, g) => self.implies(g, b),
            Node::M(f, g) => self.implies(g, b) || (eventual && self.implies(f, b)),
            _ => false,
        }
    }

    /// What suffices for the right side.
    fn suffices_for_right(&mut self, a: Term, b: Term) -> bool {
        let universal = self.is_universal(a);
        match *self.node(b) {
            Node::F(f) => self.implies(a, f),
            Node::G(f) => universal && self.implies(a, f),
            Node::X(f) => universal && self.implies(a, f),
            Node::U(_, g) => self.implies(a, g),
            Node::W(f, g) => self.implies(a, g) || (universal && self.implies(a, f)),
            Node::R(f, g) => self.implies(a, g) && (universal || self.implies(a, f)),
            Node::M(f, g) => self.implies(a, f) && self.implies(a, g),
            _ => false,
        }
    }

    /// Operators grow with their operands.
    fn pointwise(&mut self, a: Term, b: Term) -> bool {
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::X(f), Node::X(g)) | (Node::F(f), Node::F(g)) | (Node::G(f), Node::G(g)) => {
                self.implies(f, g)
            }
            (Node::U(f, g), Node::U(h, k))
            | (Node::U(f, g), Node::W(h, k))
            | (Node::W(f, g), Node::W(h, k))
            | (Node::R(f, g), Node::R(h, k))
            | (Node::M(f, g), Node::R(h, k))
            | (Node::M(f, g), Node::M(h, k)) => self.implies(f, h) && self.implies(g, k),
            // `f M g` is `g U (f & g)`, `f R g` is `g W (f & g)`.
            (Node::M(f, g), Node::U(h, k))
            | (Node::M(f, g), Node::W(h, k))
            | (Node::R(f, g), Node::W(h, k)) => {
                self.implies(g, h) && (self.implies(f, k) || self.implies(g, k))
            }
            // `f U g` is within `k M h` if f and g are within h, and g within k; the same for the weak ones.
            (Node::U(f, g), Node::M(k, h))
            | (Node::U(f, g), Node::R(k, h))
            | (Node::W(f, g), Node::R(k, h)) => {
                self.implies(f, h) && self.implies(g, h) && self.implies(g, k)
            }
            _ => false,
        }
    }
}
