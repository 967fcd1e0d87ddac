//! What a formula says, in English.
//!
//! Common shapes have sentences of their own; everything else is put together from the sentences of its parts, with
//! parentheses where the words alone would be ambiguous. Conditions without temporal operators that are more than a
//! list are shown as they are.

use Formula::*;

use crate::{Formula, parse};

/// A sentence without a capital letter and without a full stop.
pub fn in_words(formula: &Formula, names: &[String]) -> String {
    let formula = tidy(formula);
    let writer = Writer { names };
    match formula {
        True => "anything may happen".into(),
        False => "whatever happens violates it".into(),
        _ if is_condition(&formula) => writer.condition_at(&formula, "in the first state"),
        _ => writer.clause(&formula, Moment::Start),
    }
}

/// From when on a sentence speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// The beginning of time.
    Start,
    /// A moment that was just mentioned.
    Then,
}

/// Pushes negations towards the propositions as far as sentences gain from it.
fn tidy(formula: &Formula) -> Formula {
    let one = |f: &Formula| Box::new(tidy(f));
    let pair = |p: &(Formula, Formula)| Box::new((tidy(&p.0), tidy(&p.1)));
    match formula {
        Not(inner) => match &**inner {
            True => False,
            False => True,
            Not(f) => tidy(f),
            Always(f) => Eventually(Box::new(tidy(&f.negated()))),
            Eventually(f) => Always(Box::new(tidy(&f.negated()))),
            Next(f) => Next(Box::new(tidy(&f.negated()))),
            Implies(p) => flat_and(vec![tidy(&p.0), tidy(&p.1.negated())]),
            Or(parts) => flat_and(parts.iter().map(|f| tidy(&f.negated())).collect()),
            And(parts) if !is_condition(inner) => Or(parts.iter().map(|f| tidy(&f.negated())).collect()),
            other => Not(one(other)),
        },
        And(parts) => flat_and(parts.iter().map(tidy).collect()),
        Or(parts) if parts.len() == 1 => tidy(&parts[0]),
        Or(parts) => Or(parts.iter().map(tidy).collect()),
        Implies(p) => Implies(pair(p)),
        Equivalent(p) => Equivalent(pair(p)),
        Next(f) => Next(one(f)),
        Eventually(f) => match tidy(f) {
            already @ Eventually(_) => already,
            other => Eventually(Box::new(other)),
        },
        Always(f) => match tidy(f) {
            already @ Always(_) => already,
            other => Always(Box::new(other)),
        },
        Until(p) => Until(pair(p)),
        WeakUntil(p) => WeakUntil(pair(p)),
        Release(p) => Release(pair(p)),
        StrongRelease(p) => StrongRelease(pair(p)),
        other => other.clone(),
    }
}

fn flat_and(parts: Vec<Formula>) -> Formula {
    let mut flat = Vec::new();
    for part in parts {
        match part {
            And(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    if flat.len() == 1 { flat.remove(0) } else { And(flat) }
}

/// Whether it speaks of a single state.
fn is_condition(formula: &Formula) -> bool {
    match formula {
        Next(_) | Eventually(_) | Always(_) | Until(_) | WeakUntil(_) | Release(_) | StrongRelease(_) => {
            false
        }
        other => other.children().all(is_condition),
    }
}

/// What a condition looks like.
enum Shape<'a> {
    /// All of these hold.
    All(Vec<&'a Formula>),
    /// One of these holds.
    One(Vec<&'a Formula>),
    /// None of these holds.
    NotOne(Vec<&'a Formula>),
    /// Not all of these hold.
    NotAll(Vec<&'a Formula>),
    Other,
}

fn shape(condition: &Formula) -> Shape<'_> {
    let is_name = |f: &Formula| matches!(f, Proposition(_));
    let negated = |f: &Formula| matches!(f, Not(inner) if is_name(inner));
    let inner = |parts: &'_ [Formula]| -> bool { parts.iter().all(negated) };
    match condition {
        Proposition(_) => Shape::All(vec![condition]),
        And(parts) if !parts.is_empty() && parts.iter().all(is_name) => Shape::All(parts.iter().collect()),
        Or(parts) if !parts.is_empty() && parts.iter().all(is_name) => Shape::One(parts.iter().collect()),
        And(parts) if !parts.is_empty() && inner(parts) => {
            Shape::NotOne(parts.iter().flat_map(Formula::children).collect())
        }
        Or(parts) if !parts.is_empty() && inner(parts) => {
            Shape::NotAll(parts.iter().flat_map(Formula::children).collect())
        }
        Not(f) => match &**f {
            Proposition(_) => Shape::NotOne(vec![&**f]),
            And(parts) if parts.iter().all(is_name) => Shape::NotAll(parts.iter().collect()),
            Or(parts) if parts.iter().all(is_name) => Shape::NotOne(parts.iter().collect()),
            _ => Shape::Other,
        },
        _ => Shape::Other,
    }
}

struct Writer<'a> {
    names: &'a [String],
}

impl Writer<'_> {
    /// A condition or a sentence.
    fn any(&self, formula: &Formula, moment: Moment) -> String {
        if is_condition(formula) { self.condition(formula, "") } else { self.clause(formula, moment) }
    }

    /// As a part of a larger sentence.
    fn part(&self, formula: &Formula, moment: Moment) -> String {
        match formula {
            _ if is_condition(formula) => self.condition(formula, ""),
            And(_) | Or(_) | Implies(_) | Equivalent(_) | Not(_) => {
                format!("({})", self.clause(formula, moment))
            }
            Until(_) | WeakUntil(_) | Release(_) | StrongRelease(_) => {
                format!("({})", self.clause(formula, moment))
            }
            Always(inner) if matches!(**inner, Implies(_)) => format!("({})", self.clause(formula, moment)),
            _ => self.clause(formula, moment),
        }
    }

    /// E.g. `p holds`; an adverb such as `always` goes where it belongs.
    fn condition(&self, condition: &Formula, adverb: &str) -> String {
        let adverb = if adverb.is_empty() { String::new() } else { format!("{adverb} ") };
        match shape(condition) {
            Shape::All(parts) if parts.len() == 1 => format!("{} {adverb}holds", self.name(parts[0])),
            Shape::All(parts) => format!("{} {adverb}hold", self.list(&parts, "and")),
            Shape::One(parts) => format!("{} {adverb}holds", self.list(&parts, "or")),
            Shape::NotOne(parts) if parts.len() == 1 => format!("{} does not hold", self.name(parts[0])),
            Shape::NotOne(parts) => format!("neither {} holds", self.list(&parts, "nor")),
            Shape::NotAll(parts) => format!("{} do not hold together", self.list(&parts, "and")),
            Shape::Other => format!("{} {adverb}holds", self.name(condition)),
        }
    }

    /// A condition that holds from some moment on.
    fn always(&self, condition: &Formula) -> String {
        match shape(condition) {
            Shape::NotOne(parts) if parts.len() == 1 => format!("{} never holds", self.name(parts[0])),
            Shape::NotOne(parts) => format!("neither {} ever holds", self.list(&parts, "nor")),
            Shape::NotAll(parts) => format!("{} never hold together", self.list(&parts, "and")),
            Shape::One(_) => self.condition_at(condition, "at every moment"),
            _ => self.condition(condition, "always"),
        }
    }

    /// A condition as a noun: a plain name, or an expression in quotation marks.
    fn name(&self, condition: &Formula) -> String {
        match condition {
            Proposition(p) => {
                let name = self.names.get(*p as usize).cloned().unwrap_or_else(|| format!("p{p}"));
                if parse(&name).is_ok_and(|p| p.formula == Proposition(0))
                    && !name.contains([' ', '=', '<', '>'])
                {
                    name
                } else {
                    format!("`{name}`")
                }
            }
            other => format!("`{}`", other.display(self.names)),
        }
    }

    fn list(&self, parts: &[&Formula], word: &str) -> String {
        let names: Vec<String> = parts.iter().map(|part| self.name(part)).collect();
        match names.split_last() {
            Some((last, rest)) if word == "nor" => format!("{} nor {last}", rest.join(" nor ")),
            Some((last, rest)) if !rest.is_empty() => format!("{} {word} {last}", rest.join(", ")),
            _ => names.concat(),
        }
    }

    /// A formula with temporal operators.
    fn clause(&self, formula: &Formula, moment: Moment) -> String {
        let then = moment == Moment::Then;
        match formula {
            Always(inner) => self.globally(inner, then),
            Eventually(inner) => self.finally(inner, then),
            Next(inner) => {
                let mut n_steps = 1;
                let mut inner = &**inner;
                while let Next(deeper) = inner {
                    n_steps += 1;
                    inner = deeper;
                }
                let place = match (n_steps, then) {
                    (1, true) => "in the next state".to_string(),
                    (1, false) => "in the second state".to_string(),
                    (n, _) => format!("after {n} steps"),
                };
                match inner {
                    condition if is_condition(condition) => self.condition_at(condition, &place),
                    Eventually(f) if is_condition(f) && n_steps == 1 => {
                        self.condition_at(f, "in a later state")
                    }
                    other => format!("{place}, {}", self.part(other, Moment::Then)),
                }
            }
            Until(p) => match self.before(p, then) {
                Some(before) => format!("{before}, and that moment comes"),
                None => format!("{}, and that moment comes", self.until(p, then)),
            },
            WeakUntil(p) => match self.before(p, then) {
                Some(before) => before,
                None => format!("{}, or forever if that never happens", self.until(p, then)),
            },
            Release(p) => format!("{}, or forever if that never happens", self.up_to(p, then)),
            StrongRelease(p) => format!("{}, and that moment comes", self.up_to(p, then)),
            Implies(p) => self.implication(p, moment),
            Equivalent(p) => {
                format!("{} exactly if {}", self.part(&p.0, moment), self.part(&p.1, moment))
            }
            And(parts) => self.several(parts, "and", moment),
            Or(parts) => format!("either {}", self.several(parts, "or", moment)),
            Not(inner) => match &**inner {
                Until(p) if is_condition(&p.0) && is_condition(&p.1) => {
                    let (never, without) =
                        (self.always(&tidy(&p.1.negated())), self.condition(&tidy(&p.0.negated()), ""));
                    format!("either {never}, or there is a moment before {} when {without}", self.first(&p.1))
                }
                other => format!("it is not true that {}", self.part(other, moment)),
            },
            condition => self.condition(condition, ""),
        }
    }

    /// E.g. `p holds at some moment`, but `at some moment p does not hold`.
    fn condition_at(&self, condition: &Formula, when: &str) -> String {
        let text = self.condition(condition, "");
        match shape(condition) {
            _ if when.is_empty() => text,
            Shape::NotOne(_) | Shape::NotAll(_) => format!("{when} {text}"),
            _ => format!("{text} {when}"),
        }
    }

    /// What is forbidden up to some moment: to say that it does not hold until then could mean that it holds then.
    fn before(&self, pair: &(Formula, Formula), then: bool) -> Option<String> {
        let from = if then { "from then on " } else { "" };
        let is_forbidden = matches!(shape(&pair.0), Shape::NotOne(_)) && is_condition(&pair.1);
        is_forbidden.then(|| format!("{from}{} before {}", self.condition(&pair.0, ""), self.first(&pair.1)))
    }

    /// E.g. `q first holds`.
    fn first(&self, condition: &Formula) -> String {
        match shape(condition) {
            Shape::NotOne(_) | Shape::NotAll(_) => {
                format!("the first moment when {}", self.condition(condition, ""))
            }
            _ => self.condition(condition, "first"),
        }
    }

    fn until(&self, pair: &(Formula, Formula), then: bool) -> String {
        let holds = self.part(&pair.0, Moment::Then);
        let from = match (is_condition(&pair.0), then) {
            (true, true) => format!("{holds} from then on"),
            (true, false) => holds,
            (false, true) => format!("from then on, at every moment {holds},"),
            (false, false) => format!("at every moment {holds},"),
        };
        match is_condition(&pair.1) {
            true => format!("{from} until {}", self.condition(&pair.1, "")),
            false => match &pair.1 {
                Always(f) if is_condition(f) => {
                    format!("{from} until a moment from which on {}", self.always(f))
                }
                other => format!("{from} until a moment from which {}", self.part(other, Moment::Then)),
            },
        }
    }

    fn up_to(&self, pair: &(Formula, Formula), then: bool) -> String {
        let holds = self.part(&pair.1, Moment::Then);
        let from = if then { " from then on" } else { "" };
        let end = match is_condition(&pair.0) {
            true => format!("when {}", self.first(&pair.0)),
            false => format!("from which {}", self.part(&pair.0, Moment::Then)),
        };
        match is_condition(&pair.1) {
            true => format!("{holds}{from} up to and including the moment {end}"),
            false => format!("at every moment{from} {holds}, up to and including the moment {end}"),
        }
    }

    fn globally(&self, inner: &Formula, then: bool) -> String {
        let from = if then { "from then on, " } else { "" };
        match inner {
            Implies(p) => format!("{from}{}", self.whenever(p)),
            condition if is_condition(condition) => format!("{from}{}", self.always(condition)),
            Eventually(f) if is_condition(f) => self.condition_at(f, "infinitely often"),
            other => {
                let at = if then { "at every moment from then on" } else { "at every moment" };
                format!("{at}, {}", self.part(other, Moment::Then))
            }
        }
    }

    fn finally(&self, inner: &Formula, then: bool) -> String {
        let at = if then { "then or later" } else { "at some moment" };
        match inner {
            condition if is_condition(condition) => self.condition_at(condition, at),
            Always(f) if is_condition(f) => format!("from some moment on, {}", self.always(f)),
            And(parts) => format!("{at}, {}", self.several(parts, "and", Moment::Then)),
            other => format!("{at}, {}", self.part(other, Moment::Then)),
        }
    }

    fn whenever(&self, pair: &(Formula, Formula)) -> String {
        let (cause, effect) = pair;
        let effect = match effect {
            f if is_condition(f) && matches!(shape(f), Shape::NotOne(_) | Shape::NotAll(_)) => {
                self.condition(f, "")
            }
            f if is_condition(f) => format!("{} too", self.condition(f, "")),
            Always(f) if is_condition(f) => format!("from then on {}", self.always(f)),
            other => self.clause(other, Moment::Then),
        };
        match cause {
            f if is_condition(f) => format!("whenever {}, {effect}", self.condition(f, "")),
            other => format!("whenever it is the case that {}, {effect}", self.part(other, Moment::Then)),
        }
    }

    fn implication(&self, pair: &(Formula, Formula), moment: Moment) -> String {
        let (cause, effect) = pair;
        // The scope "before r".
        if let (Eventually(end), Until(inner)) = (cause, effect)
            && **end == inner.1
            && is_condition(end)
        {
            let before = format!("if {}, then until that moment", self.finally(end, moment == Moment::Then));
            return match is_condition(&inner.0) {
                true => format!("{before} {}", self.always(&inner.0)),
                false => format!("{before}, at every moment, {}", self.part(&inner.0, Moment::Then)),
            };
        }
        let effect = match moment {
            Moment::Start if is_condition(effect) => self.condition_at(effect, "in the first state"),
            _ => self.any(effect, moment),
        };
        match cause {
            f if is_condition(f) && moment == Moment::Start => {
                format!("if {}, then {effect}", self.condition_at(f, "in the first state"))
            }
            f => format!("if {}, then {effect}", self.part(f, moment)),
        }
    }

    /// Conditions come first and together; they are about the moment itself.
    fn several(&self, parts: &[Formula], word: &str, moment: Moment) -> String {
        let (now, later): (Vec<&Formula>, Vec<&Formula>) = parts.iter().partition(|part| is_condition(part));
        let mut sentences = Vec::new();
        if !now.is_empty() {
            let now: Vec<Formula> = now.into_iter().cloned().collect();
            let condition = match (now.len(), word) {
                (1, _) => now[0].clone(),
                (_, "and") => And(now),
                _ => Or(now),
            };
            let place = match moment {
                Moment::Start => "in the first state",
                Moment::Then if word == "and" => "",
                Moment::Then => "at that moment",
            };
            sentences.push(self.condition_at(&condition, place));
        }
        sentences.extend(later.into_iter().map(|part| self.part(part, moment)));
        sentences.join(&format!(", {word} "))
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::parse;

    fn check(formulas: &[&str], expected: Expect) {
        let say = |text: &&str| {
            let parsed = parse(text).unwrap();
            format!("{text}: {}\n", super::in_words(&parsed.formula, &parsed.propositions))
        };
        expected.assert_eq(&formulas.iter().map(say).collect::<String>());
    }

    #[test]
    fn always_and_eventually() {
        check(
            &[
                "[] p",
                "[] !p",
                "[] !(p && q)",
                "[] (!p && !q)",
                "[] (p || q)",
                "[] (x == 1 -> y > 2)",
                "<> p",
                "<> !p",
                "[] <> p",
                "<> [] p",
                "<> [] !p",
                "[] <> !(p && q)",
                "! [] p",
                "! <> p",
                "[] (p && (q || !r))",
                "[] <> p -> [] <> q",
                "[] <> p && [] <> q",
            ],
            expect![[r#"
                [] p: p always holds
                [] !p: p never holds
                [] !(p && q): p and q never hold together
                [] (!p && !q): neither p nor q ever holds
                [] (p || q): p or q holds at every moment
                [] (x == 1 -> y > 2): whenever `x == 1` holds, `y > 2` holds too
                <> p: p holds at some moment
                <> !p: at some moment p does not hold
                [] <> p: p holds infinitely often
                <> [] p: from some moment on, p always holds
                <> [] !p: from some moment on, p never holds
                [] <> !(p && q): infinitely often p and q do not hold together
                ! [] p: at some moment p does not hold
                ! <> p: p never holds
                [] (p && (q || !r)): `p && (q || !r)` always holds
                [] <> p -> [] <> q: if p holds infinitely often, then q holds infinitely often
                [] <> p && [] <> q: p holds infinitely often, and q holds infinitely often
            "#]],
        );
    }

    #[test]
    fn response_and_precedence() {
        check(
            &[
                "[] (p -> <> q)",
                "[] (p -> [] q)",
                "[] (p -> [] !q)",
                "[] (p -> X q)",
                "[] (p -> q)",
                "[] (p -> !q)",
                "[] (p -> q U r)",
                "[] (p -> q W r)",
                "[] (p && !q -> !r W q)",
                "!p W q",
                "!p U q",
                "p U q",
                "p W q",
                "p R q",
                "p M q",
                "<> r -> (!p U r)",
                "<> r -> ((p -> (!r U (s && !r))) U r)",
                "!(p U q)",
            ],
            expect![[r#"
                [] (p -> <> q): whenever p holds, q holds then or later
                [] (p -> [] q): whenever p holds, from then on q always holds
                [] (p -> [] !q): whenever p holds, from then on q never holds
                [] (p -> X q): whenever p holds, q holds in the next state
                [] (p -> q): whenever p holds, q holds too
                [] (p -> !q): whenever p holds, q does not hold
                [] (p -> q U r): whenever p holds, q holds from then on until r holds, and that moment comes
                [] (p -> q W r): whenever p holds, q holds from then on until r holds, or forever if that never happens
                [] (p && !q -> !r W q): whenever `p && !q` holds, from then on r does not hold before q first holds
                !p W q: p does not hold before q first holds
                !p U q: p does not hold before q first holds, and that moment comes
                p U q: p holds until q holds, and that moment comes
                p W q: p holds until q holds, or forever if that never happens
                p R q: q holds up to and including the moment when p first holds, or forever if that never happens
                p M q: q holds up to and including the moment when p first holds, and that moment comes
                <> r -> (!p U r): if r holds at some moment, then until that moment p never holds
                <> r -> ((p -> (!r U (s && !r))) U r): if r holds at some moment, then until that moment, at every moment, (if p holds, then from then on r does not hold before `s && !r` first holds, and that moment comes)
                !(p U q): either q never holds, or there is a moment before q first holds when p does not hold
            "#]],
        );
    }

    #[test]
    fn everything_else() {
        check(
            &[
                "p",
                "true",
                "false",
                "p && q",
                "p -> q",
                "p && X q",
                "X X p",
                "p -> <> q",
                "[] p || <> q",
                "p U (q U r)",
                "p U [] q",
                "(p U q) U r",
                "<> (p && X <> q)",
                "[] (p <-> <> q)",
                "!(p W q)",
                "[] ([] p -> <> q)",
                "[] (p -> <> (q && <> r))",
                "(p -> X q) && [] (q || <> r)",
                "\"a b\" U len(c) == 0",
            ],
            expect![[r#"
                p: p holds in the first state
                true: anything may happen
                false: whatever happens violates it
                p && q: p and q hold in the first state
                p -> q: `p -> q` holds in the first state
                p && X q: p holds in the first state, and q holds in the second state
                X X p: p holds after 2 steps
                p -> <> q: if p holds in the first state, then q holds at some moment
                [] p || <> q: either p always holds, or q holds at some moment
                p U (q U r): p holds until a moment from which (q holds from then on until r holds, and that moment comes), and that moment comes
                p U [] q: p holds until a moment from which on q always holds, and that moment comes
                (p U q) U r: at every moment (p holds from then on until q holds, and that moment comes), until r holds, and that moment comes
                <> (p && X <> q): at some moment, p holds, and q holds in a later state
                [] (p <-> <> q): at every moment, (p holds exactly if q holds then or later)
                !(p W q): it is not true that (p holds until q holds, or forever if that never happens)
                [] ([] p -> <> q): whenever it is the case that from then on, p always holds, q holds then or later
                [] (p -> <> (q && <> r)): whenever p holds, then or later, q holds, and r holds then or later
                (p -> X q) && [] (q || <> r): (if p holds in the first state, then q holds in the second state), and at every moment, (either q holds at that moment, or r holds then or later)
                "a b" U len(c) == 0: `a b` holds until `len(c) == 0` holds, and that moment comes
            "#]],
        );
    }
}
