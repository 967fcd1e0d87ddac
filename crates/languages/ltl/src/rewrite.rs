//! Simplification: the functions that make terms, each with the rules for its operator.
//!
//! The aim is not short formulas but few temporal operators, with `X` and `F` outside: fewer states and acceptance sets.
//! Rules come in dual pairs. In the comments e stands for an eventual formula (`F e = e`), u for a universal one
//! (`G u = u`), q for one that is both, b for a Boolean one. With [`Terms::rewriting`] off only constants are removed.

use crate::terms::{Node, Term, Terms};

/// Conjunctions and disjunctions with more parts than this are not compared pairwise.
const MAX_PAIRWISE: usize = 24;

impl Terms {
    pub fn next(&mut self, f: Term) -> Term {
        if f == Terms::TRUE || f == Terms::FALSE || (self.rewriting && self.is_suspendable(f)) {
            return f;
        }
        self.intern(Node::X(f))
    }

    pub fn eventually(&mut self, f: Term) -> Term {
        if f == Terms::TRUE || f == Terms::FALSE {
            return f;
        }
        if !self.rewriting {
            return self.intern(Node::F(f));
        }
        if self.is_eventual(f) {
            return f;
        }
        match self.node(f).clone() {
            // F X f = X F f
            Node::X(g) => {
                let inner = self.eventually(g);
                self.next(inner)
            }
            // F (f U g) = F g
            Node::U(_, g) => self.eventually(g),
            // F (f M g) = F (f & g)
            Node::M(g, h) => {
                let both = self.and(vec![g, h]);
                self.eventually(both)
            }
            // F (f W g) = F (G f | g)
            Node::W(g, h) => {
                let always = self.always(g);
                let inner = self.or(vec![always, h]);
                self.eventually(inner)
            }
            // F (f R g) = F (G g | (f & g))
            Node::R(g, h) => {
                let always = self.always(h);
                let both = self.and(vec![g, h]);
                let inner = self.or(vec![always, both]);
                self.eventually(inner)
            }
            // F (f & q) = F f & q
            Node::And(parts) => match self.without_suspendable(&parts) {
                Some((rest, lifted)) => {
                    let rest = self.and(rest);
                    let rest = self.eventually(rest);
                    self.and(lifted.into_iter().chain([rest]).collect())
                }
                None => self.intern(Node::F(f)),
            },
            // F (f | e) = F f | e, F (f | u) = F f | F u
            Node::Or(parts) => {
                let apart = |p: &Term| self.is_universal(*p) || self.is_eventual(*p);
                let (lifted, rest): (Vec<Term>, Vec<Term>) = parts.iter().partition(|p| apart(p));
                if lifted.is_empty() {
                    return self.intern(Node::F(f));
                }
                let rest = self.or(rest);
                let all = lifted.into_iter().chain([rest]).map(|p| self.eventually(p)).collect();
                self.or(all)
            }
            Node::G(g) => self.eventually_always(f, g),
            _ => self.intern(Node::F(f)),
        }
    }

    /// F G g, where `f` is G g.
    fn eventually_always(&mut self, f: Term, g: Term) -> Term {
        match self.node(g).clone() {
            // F G (f & X g) = F G (f & g), F G (f & G g) = F G (f & g)
            Node::And(parts) => match self.strip(&parts, |n| matches!(n, Node::X(_) | Node::G(_))) {
                Some(parts) => {
                    let inner = self.and(parts);
                    let inner = self.always(inner);
                    self.eventually(inner)
                }
                None => self.intern(Node::F(f)),
            },
            // F G (f | G g) = F G f | F G g
            Node::Or(parts) => {
                let (lifted, rest): (Vec<Term>, Vec<Term>) =
                    parts.iter().partition(|p| self.is_universal(**p));
                if lifted.is_empty() {
                    return self.intern(Node::F(f));
                }
                let rest = self.or(rest);
                let rest = self.always(rest);
                let all = self.or(lifted.into_iter().chain([rest]).collect());
                self.eventually(all)
            }
            _ => self.intern(Node::F(f)),
        }
    }

    pub fn always(&mut self, f: Term) -> Term {
        if f == Terms::TRUE || f == Terms::FALSE {
            return f;
        }
        if !self.rewriting {
            return self.intern(Node::G(f));
        }
        if self.is_universal(f) {
            return f;
        }
        match self.node(f).clone() {
            // G X f = X G f
            Node::X(g) => {
                let inner = self.always(g);
                self.next(inner)
            }
            // G (f R g) = G g
            Node::R(_, g) => self.always(g),
            // G (f W g) = G (f | g)
            Node::W(g, h) => {
                let either = self.or(vec![g, h]);
                self.always(either)
            }
            // G (f M g) = G (F f & g)
            Node::M(g, h) => {
                let eventually = self.eventually(g);
                let inner = self.and(vec![eventually, h]);
                self.always(inner)
            }
            // G (f U g) = G (F g & (f | g))
            Node::U(g, h) => {
                let eventually = self.eventually(h);
                let either = self.or(vec![g, h]);
                let inner = self.and(vec![eventually, either]);
                self.always(inner)
            }
            // G (f | q) = G f | q
            Node::Or(parts) => match self.without_suspendable(&parts) {
                Some((rest, lifted)) => {
                    let rest = self.or(rest);
                    let rest = self.always(rest);
                    self.or(lifted.into_iter().chain([rest]).collect())
                }
                None => self.intern(Node::G(f)),
            },
            // G (f & u) = G f & u, G (f & e) = G f & G e
            Node::And(parts) => {
                let apart = |p: &Term| self.is_universal(*p) || self.is_eventual(*p);
                let (lifted, rest): (Vec<Term>, Vec<Term>) = parts.iter().partition(|p| apart(p));
                if lifted.is_empty() {
                    return self.intern(Node::G(f));
                }
                let rest = self.and(rest);
                let all = lifted.into_iter().chain([rest]).map(|p| self.always(p)).collect();
                self.and(all)
            }
            Node::F(g) => self.always_eventually(f, g),
            _ => self.intern(Node::G(f)),
        }
    }

    /// G F g, where `f` is F g.
    fn always_eventually(&mut self, f: Term, g: Term) -> Term {
        match self.node(g).clone() {
            // G F (f | X g) = G F (f | g), G F (f | F g) = G F (f | g)
            Node::Or(parts) => match self.strip(&parts, |n| matches!(n, Node::X(_) | Node::F(_))) {
                Some(parts) => {
                    let inner = self.or(parts);
                    let inner = self.eventually(inner);
                    self.always(inner)
                }
                None => self.intern(Node::G(f)),
            },
            // G F (f & F g) = G F f & G F g
            Node::And(parts) => {
                let (lifted, rest): (Vec<Term>, Vec<Term>) =
                    parts.iter().partition(|p| self.is_eventual(**p));
                if lifted.is_empty() {
                    return self.intern(Node::G(f));
                }
                let rest = self.and(rest);
                let rest = self.eventually(rest);
                let all = self.and(lifted.into_iter().chain([rest]).collect());
                self.always(all)
            }
            _ => self.intern(Node::G(f)),
        }
    }

    /// Takes an operator off those parts that have it; none if no part does.
    fn strip(&self, parts: &[Term], is_outer: impl Fn(&Node) -> bool) -> Option<Vec<Term>> {
        parts.iter().any(|p| is_outer(self.node(*p))).then(|| {
            parts
                .iter()
                .map(|p| match self.node(*p) {
                    outer @ (Node::X(g) | Node::F(g) | Node::G(g)) if is_outer(outer) => *g,
                    _ => *p,
                })
                .collect()
        })
    }

    /// Separates the parts that depend on no prefix; none if there are no such parts.
    fn without_suspendable(&self, parts: &[Term]) -> Option<(Vec<Term>, Vec<Term>)> {
        let (lifted, rest): (Vec<Term>, Vec<Term>) = parts.iter().partition(|p| self.is_suspendable(**p));
        (!lifted.is_empty()).then_some((rest, lifted))
    }

    pub fn until(&mut self, f: Term, g: Term) -> Term {
        if f == Terms::FALSE || g == Terms::TRUE || g == Terms::FALSE || f == g {
            return g;
        }
        if f == Terms::TRUE {
            return self.eventually(g);
        }
        if !self.rewriting {
            return self.intern(Node::U(f, g));
        }
        // f U e = e; f U g = g if f => g
        if self.is_eventual(g) || self.implies(f, g) {
            return g;
        }
        // f U g = F g if !f => g
        let not_f = self.not(f);
        if self.implies(not_f, g) {
            return self.eventually(g);
        }
        match self.node(g).clone() {
            Node::U(h, _) | Node::W(h, _) if self.implies(f, h) => return g,
            Node::U(h, k) if self.implies(h, f) => return self.until(f, k),
            // X f U X g = X (f U g)
            Node::X(k) => {
                let before = match *self.node(f) {
                    Node::X(h) => Some(h),
                    _ if self.is_suspendable(f) => Some(f),
                    _ => None,
                };
                if let Some(h) = before {
                    let inner = self.until(h, k);
                    return self.next(inner);
                }
            }
            // f U (g & q) = (f U g) & q
            Node::And(parts) => {
                if let Some((rest, lifted)) = self.without_suspendable(&parts) {
                    let rest = self.and(rest);
                    let rest = self.until(f, rest);
                    return self.and(lifted.into_iter().chain([rest]).collect());
                }
                // f U (f & g) = g M f
                if parts.contains(&f) {
                    let rest = self.and(parts.into_iter().filter(|p| *p != f).collect());
                    return self.strong_release(rest, f);
                }
            }
            Node::Or(parts) => {
                // f U (g | G f) = f W g
                if let Some(rest) = self.drop_parts(&parts, |t, p| *t.node(p) == Node::G(f)) {
                    let rest = self.or(rest);
                    return self.weak_until(f, rest);
                }
                // f U (g | e) = (f U g) | e
                let (lifted, rest): (Vec<Term>, Vec<Term>) =
                    parts.iter().partition(|p| self.is_eventual(**p));
                if !lifted.is_empty() {
                    let rest = self.or(rest);
                    let rest = self.until(f, rest);
                    return self.or(lifted.into_iter().chain([rest]).collect());
                }
            }
            _ => {}
        }
        match self.node(f).clone() {
            // (f U g) U h = g U h if f => h, also with a weak inner until
            Node::U(h, k) | Node::W(h, k) if self.implies(h, g) => return self.until(k, g),
            // (f | g) U h = f U h if g => h
            Node::Or(parts) => {
                if let Some(rest) = self.drop_parts(&parts, |t, p| t.implies(p, g)) {
                    let rest = self.or(rest);
                    return self.until(rest, g);
                }
            }
            // (X f) U b = b | X (b M f)
            Node::X(h) if self.boolean(g).is_some() => {
                let inner = self.strong_release(g, h);
                let later = self.next(inner);
                return self.or(vec![g, later]);
            }
            _ => {}
        }
        self.intern(Node::U(f, g))
    }

    pub fn release(&mut self, f: Term, g: Term) -> Term {
        if f == Terms::TRUE || g == Terms::TRUE || g == Terms::FALSE || f == g {
            return g;
        }
        if f == Terms::FALSE {
            return self.always(g);
        }
        if !self.rewriting {
            return self.intern(Node::R(f, g));
        }
        // f R u = u; f R g = g if g => f
        if self.is_universal(g) || self.implies(g, f) {
            return g;
        }
        // f R g = G g if g => !f
        let not_f = self.not(f);
        if self.implies(g, not_f) {
            return self.always(g);
        }
        match self.node(g).clone() {
            Node::R(h, _) | Node::M(h, _) if self.implies(h, f) => return g,
            Node::R(h, k) if self.implies(f, h) => return self.release(f, k),
            Node::X(k) => {
                let before = match *self.node(f) {
                    Node::X(h) => Some(h),
                    _ if self.is_suspendable(f) => Some(f),
                    _ => None,
                };
                if let Some(h) = before {
                    let inner = self.release(h, k);
                    return self.next(inner);
                }
            }
            Node::Or(parts) => {
                if let Some((rest, lifted)) = self.without_suspendable(&parts) {
                    let rest = self.or(rest);
                    let rest = self.release(f, rest);
                    return self.or(lifted.into_iter().chain([rest]).collect());
                }
                // f R (f | g) = g W f
                if parts.contains(&f) {
                    let rest = self.or(parts.into_iter().filter(|p| *p != f).collect());
                    return self.weak_until(rest, f);
                }
            }
            Node::And(parts) => {
                // f R (g & F f) = f M g
                if let Some(rest) = self.drop_parts(&parts, |t, p| *t.node(p) == Node::F(f)) {
                    let rest = self.and(rest);
                    return self.strong_release(f, rest);
                }
                let (lifted, rest): (Vec<Term>, Vec<Term>) =
                    parts.iter().partition(|p| self.is_universal(**p));
                if !lifted.is_empty() {
                    let rest = self.and(rest);
                    let rest = self.release(f, rest);
                    return self.and(lifted.into_iter().chain([rest]).collect());
                }
            }
            _ => {}
        }
        match self.node(f).clone() {
            Node::R(h, k) | Node::M(h, k) if self.implies(g, h) => return self.release(k, g),
            Node::And(parts) => {
                if let Some(rest) = self.drop_parts(&parts, |t, p| t.implies(g, p)) {
                    let rest = self.and(rest);
                    return self.release(rest, g);
                }
            }
            // (X f) R b = b & X (b W f)
            Node::X(h) if self.boolean(g).is_some() => {
                let inner = self.weak_until(g, h);
                let later = self.next(inner);
                return self.and(vec![g, later]);
            }
            _ => {}
        }
        // f R g = g W f if f => g
        if self.implies(f, g) {
            return self.weak_until(g, f);
        }
        self.intern(Node::R(f, g))
    }

    pub fn weak_until(&mut self, f: Term, g: Term) -> Term {
        if f == Terms::FALSE || g == Terms::TRUE || f == g {
            return g;
        }
        if f == Terms::TRUE {
            return f;
        }
        if g == Terms::FALSE {
            return self.always(f);
        }
        if !self.rewriting {
            return self.intern(Node::W(f, g));
        }
        if self.implies(f, g) {
            return g;
        }
        // f W g = 1 if !f => g
        let not_f = self.not(f);
        if self.implies(not_f, g) {
            return Terms::TRUE;
        }
        // u W g = u | g
        if self.is_universal(f) {
            return self.or(vec![f, g]);
        }
        // f W e = G f | e
        if self.is_eventual(g) {
            let always = self.always(f);
            return self.or(vec![always, g]);
        }
        match self.node(g).clone() {
            Node::W(h, _) if self.implies(f, h) => return g,
            Node::W(h, k) if self.implies(h, f) => return self.weak_until(f, k),
            Node::X(k) => {
                if let Node::X(h) = *self.node(f) {
                    let inner = self.weak_until(h, k);
                    return self.next(inner);
                }
            }
            // f W (g | e) = (f W g) | e
            Node::Or(parts) => {
                let (lifted, rest): (Vec<Term>, Vec<Term>) =
                    parts.iter().partition(|p| self.is_eventual(**p));
                if !lifted.is_empty() {
                    let rest = self.or(rest);
                    let rest = self.weak_until(f, rest);
                    return self.or(lifted.into_iter().chain([rest]).collect());
                }
            }
            Node::And(parts) if parts.contains(&f) => {
                // f W (f & g) = g R f
                let rest = self.and(parts.into_iter().filter(|p| *p != f).collect());
                return self.release(rest, f);
            }
            _ => {}
        }
        match self.node(f).clone() {
            Node::U(h, k) | Node::W(h, k) if self.implies(h, g) => return self.weak_until(k, g),
            Node::Or(parts) => {
                if let Some(rest) = self.drop_parts(&parts, |t, p| t.implies(p, g)) {
                    let rest = self.or(rest);
                    return self.weak_until(rest, g);
                }
            }
            _ => {}
        }
        self.intern(Node::W(f, g))
    }

    pub fn strong_release(&mut self, f: Term, g: Term) -> Term {
        if f == Terms::TRUE || g == Terms::FALSE || f == g {
            return g;
        }
        if f == Terms::FALSE {
            return f;
        }
        if g == Terms::TRUE {
            return self.eventually(f);
        }
        if !self.rewriting {
            return self.intern(Node::M(f, g));
        }
        if self.implies(g, f) {
            return g;
        }
        // f M g = 0 if g => !f
        let not_f = self.not(f);
        if self.implies(g, not_f) {
            return Terms::FALSE;
        }
        // e M g = e & g
        if self.is_eventual(f) {
            return self.and(vec![f, g]);
        }
        // f M u = F f & u
        if self.is_universal(g) {
            let eventually = self.eventually(f);
            return self.and(vec![eventually, g]);
        }
        match self.node(g).clone() {
            Node::M(h, _) if self.implies(h, f) => return g,
            Node::M(h, k) if self.implies(f, h) => return self.strong_release(f, k),
            Node::X(k) => {
                if let Node::X(h) = *self.node(f) {
                    let inner = self.strong_release(h, k);
                    return self.next(inner);
                }
            }
            // f M (g & u) = (f M g) & u
            Node::And(parts) => {
                let (lifted, rest): (Vec<Term>, Vec<Term>) =
                    parts.iter().partition(|p| self.is_universal(**p));
                if !lifted.is_empty() {
                    let rest = self.and(rest);
                    let rest = self.strong_release(f, rest);
                    return self.and(lifted.into_iter().chain([rest]).collect());
                }
            }
            Node::Or(parts) if parts.contains(&f) => {
                // f M (f | g) = g U f
                let rest = self.or(parts.into_iter().filter(|p| *p != f).collect());
                return self.until(rest, f);
            }
            _ => {}
        }
        match self.node(f).clone() {
            Node::R(h, k) | Node::M(h, k) if self.implies(g, h) => return self.strong_release(k, g),
            Node::And(parts) => {
                if let Some(rest) = self.drop_parts(&parts, |t, p| t.implies(g, p)) {
                    let rest = self.and(rest);
                    return self.strong_release(rest, g);
                }
            }
            _ => {}
        }
        // f M g = g U f if f => g
        if self.implies(f, g) {
            return self.until(g, f);
        }
        self.intern(Node::M(f, g))
    }

    /// The parts without those that a test picks; none if it picks nothing.
    fn drop_parts(&mut self, parts: &[Term], test: impl Fn(&mut Terms, Term) -> bool) -> Option<Vec<Term>> {
        let rest: Vec<Term> = parts.iter().copied().filter(|p| !test(self, *p)).collect();
        (rest.len() < parts.len()).then_some(rest)
    }

    pub fn and(&mut self, parts: Vec<Term>) -> Term {
        self.combine(parts, true)
    }

    pub fn or(&mut self, parts: Vec<Term>) -> Term {
        self.combine(parts, false)
    }

    /// A conjunction or a disjunction. Every rule is written for conjunctions; `is_and` off means its dual.
    fn combine(&mut self, parts: Vec<Term>, is_and: bool) -> Term {
        let (unit, zero) = if is_and { (Terms::TRUE, Terms::FALSE) } else { (Terms::FALSE, Terms::TRUE) };
        let mut parts = self.flattened(parts, is_and);
        loop {
            if parts.contains(&zero) {
                return zero;
            }
            parts.retain(|p| *p != unit);
            if !self.rewriting || parts.len() < 2 || parts.len() > MAX_PAIRWISE {
                break;
            }
            if self.absorb(&mut parts, is_and) {
                return zero;
            }
            match self.join_two(&parts, is_and) {
                Some((i, j, joined)) => {
                    parts.remove(j);
                    parts.remove(i);
                    parts.push(joined);
                    parts = self.flattened(parts, is_and);
                }
                None => break,
            }
        }
        match parts.len() {
            0 => unit,
            1 => parts[0],
            _ if is_and => self.intern(Node::And(parts)),
            _ => self.intern(Node::Or(parts)),
        }
    }

    /// One level, sorted, without doubles, Boolean parts united.
    fn flattened(&mut self, parts: Vec<Term>, is_and: bool) -> Vec<Term> {
        let mut flat = Vec::new();
        let mut boolean = None;
        let mut todo = parts;
        while let Some(part) = todo.pop() {
            match self.node(part) {
                Node::And(inner) if is_and => todo.extend(inner),
                Node::Or(inner) if !is_and => todo.extend(inner),
                Node::Bool(b) => {
                    let b = *b;
                    boolean = Some(match boolean {
                        None => b,
                        Some(before) if is_and => self.bdds.and(before, b),
                        Some(before) => self.bdds.or(before, b),
                    });
                }
                _ => flat.push(part),
            }
        }
        if let Some(b) = boolean {
            flat.push(self.mk_bool(b));
        }
        flat.sort_unstable();
        flat.dedup();
        flat
    }

    /// Drops what another part makes superfluous; true if two parts contradict each other.
    fn absorb(&mut self, parts: &mut Vec<Term>, is_and: bool) -> bool {
        let mut i = 0;
        while i < parts.len() {
            let mut dropped = false;
            for j in 0..parts.len() {
                if i == j {
                    continue;
                }
                let (a, b) = (parts[j], parts[i]);
                if if is_and { self.implies(a, b) } else { self.implies(b, a) } {
                    dropped = true;
                    break;
                }
                if i < j {
                    let opposite = if is_and { self.not(b) } else { b };
                    let other = if is_and { a } else { self.not(a) };
                    if self.implies(other, opposite) {
                        return true;
                    }
                }
            }
            if dropped {
                parts.remove(i);
            } else {
                i += 1;
            }
        }
        false
    }

    fn join_two(&mut self, parts: &[Term], is_and: bool) -> Option<(usize, usize, Term)> {
        for i in 0..parts.len() {
            for j in i + 1..parts.len() {
                let joined =
                    self.join(parts[i], parts[j], is_and).or_else(|| self.join(parts[j], parts[i], is_and));
                if let Some(joined) = joined {
                    return Some((i, j, joined));
                }
            }
        }
        None
    }

    /// One term for two. Everything is said for conjunctions in the comments.
    fn join(&mut self, a: Term, b: Term, is_and: bool) -> Option<Term> {
        let (x, y) = (self.node(a).clone(), self.node(b).clone());
        Some(match (x, y) {
            // X f & X g = X (f & g)
            (Node::X(f), Node::X(g)) => {
                let inner = self.combine(vec![f, g], is_and);
                self.next(inner)
            }
            // X f & q = X (f & q)
            (Node::X(f), _) if self.is_suspendable(b) => {
                let inner = self.combine(vec![f, b], is_and);
                self.next(inner)
            }
            // G f & G g = G (f & g)
            (Node::G(f), Node::G(g)) if is_and && !self.is_eventual(a) && !self.is_eventual(b) => {
                let inner = self.and(vec![f, g]);
                self.intern(Node::G(inner))
            }
            (Node::F(f), Node::F(g)) if !is_and && !self.is_universal(a) && !self.is_universal(b) => {
                let inner = self.or(vec![f, g]);
                self.intern(Node::F(inner))
            }
            // F G f & F G g = F G (f & g)
            (Node::F(f), Node::F(g)) if is_and => match (self.node(f), self.node(g)) {
                (Node::G(f), Node::G(g)) => {
                    let inner = vec![*f, *g];
                    let inner = self.and(inner);
                    let inner = self.always(inner);
                    self.eventually(inner)
                }
                _ => return None,
            },
            (Node::G(f), Node::G(g)) if !is_and => match (self.node(f), self.node(g)) {
                (Node::F(f), Node::F(g)) => {
                    let inner = vec![*f, *g];
                    let inner = self.or(inner);
                    let inner = self.eventually(inner);
                    self.always(inner)
                }
                _ => return None,
            },
            // (f U g) & (h U g) = (f & h) U g
            (Node::U(f, g), Node::U(h, k)) | (Node::U(f, g), Node::W(h, k)) if is_and && g == k => {
                let inner = self.and(vec![f, h]);
                self.until(inner, g)
            }
            (Node::W(f, g), Node::W(h, k)) if is_and && g == k => {
                let inner = self.and(vec![f, h]);
                self.weak_until(inner, g)
            }
            (Node::R(f, g), Node::R(h, k)) | (Node::R(f, g), Node::M(h, k)) if !is_and && g == k => {
                let inner = self.or(vec![f, h]);
                self.release(inner, g)
            }
            (Node::M(f, g), Node::M(h, k)) if !is_and && g == k => {
                let inner = self.or(vec![f, h]);
                self.strong_release(inner, g)
            }
            // (f R g) & (f R h) = f R (g & h)
            (Node::R(f, g), Node::R(h, k)) if is_and && f == h => {
                let inner = self.and(vec![g, k]);
                self.release(f, inner)
            }
            (Node::M(f, g), Node::M(h, k)) | (Node::M(f, g), Node::R(h, k)) if is_and && f == h => {
                let inner = self.and(vec![g, k]);
                self.strong_release(f, inner)
            }
            (Node::U(f, g), Node::U(h, k)) if !is_and && f == h => {
                let inner = self.or(vec![g, k]);
                self.until(f, inner)
            }
            (Node::W(f, g), Node::W(h, k)) | (Node::W(f, g), Node::U(h, k)) if !is_and && f == h => {
                let inner = self.or(vec![g, k]);
                self.weak_until(f, inner)
            }
            // F g & (f W g) = f U g
            (Node::F(g), Node::W(f, k)) if is_and && g == k => self.until(f, g),
            // F f & (f R g) = f M g
            (Node::F(f), Node::R(h, g)) if is_and && f == h => self.strong_release(f, g),
            // G g | (f M g) = f R g
            (Node::G(g), Node::M(f, k)) if !is_and && g == k => self.release(f, g),
            // G f | (f U g) = f W g
            (Node::G(f), Node::U(h, g)) if !is_and && f == h => self.weak_until(f, g),
            // f & X G f = G f
            (_, Node::X(g)) => return self.fold_step(a, g, is_and),
            _ => return None,
        })
    }

    /// `now & X later` or `now | X later` as one operator.
    fn fold_step(&mut self, now: Term, later: Term, is_and: bool) -> Option<Term> {
        match (self.node(later).clone(), is_and) {
            (Node::G(f), true) if f == now => Some(later),
            (Node::F(f), false) if f == now => Some(later),
            _ => None,
        }
    }
}
