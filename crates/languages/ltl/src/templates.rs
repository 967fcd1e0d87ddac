//! Common kinds of requirements as formulas.
//!
//! [`pattern`] has the patterns and scopes of Dwyer, Avrunin and Corbett (1999). A scope is a part of a run: it begins
//! with the state in which its opening condition holds and ends before the state in which its closing condition does.
//! Where the published formulas say something else than their description, these follow the description: after q means
//! after the first q, a response of two events may take its time, and nothing outside of the scope counts.
//!
//! [`Requirement`] is the form "after this, always or eventually or never that, unless something releases it". It
//! leaves questions open that people answer differently; each answer is a field, and [`Requirement::choices`] says what
//! was chosen.

use Formula::*;

use crate::{Formula, Parsed, parse};

/// What is to be the case in the scope. The letters stand for formulas.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pattern {
    /// P never holds.
    Absence,
    /// P holds at some moment.
    Existence,
    /// P begins to hold at most so many times.
    BoundedExistence(u32),
    /// P always holds.
    Universality,
    /// P does not hold before S has held.
    Precedence,
    /// Whenever P holds, S holds then or later.
    Response,
    /// P does not hold before S has held and later T.
    PrecedenceChain21,
    /// If S holds and later T, then P has held before S.
    PrecedenceChain12,
    /// Whenever S holds and later T, P holds then or later.
    ResponseChain21,
    /// Whenever P holds, S holds then or later, and T after that.
    ResponseChain12,
}

/// Which part of a run a pattern speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// All of it.
    Global,
    /// The part before R holds for the first time; nothing if R never holds.
    Before,
    /// What begins when Q holds for the first time.
    After,
    /// Each part from Q to R; not if R does not come any more.
    Between,
    /// Each part from Q to R, or to the end of time if R does not come any more.
    AfterUntil,
}

impl Pattern {
    /// All of them; at most two times for the bounded one.
    pub const ALL: [Pattern; 10] = [
        Pattern::Absence,
        Pattern::Existence,
        Pattern::BoundedExistence(2),
        Pattern::Universality,
        Pattern::Precedence,
        Pattern::Response,
        Pattern::PrecedenceChain21,
        Pattern::PrecedenceChain12,
        Pattern::ResponseChain21,
        Pattern::ResponseChain12,
    ];

    /// As options call it.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::Absence => "absence",
            Pattern::Existence => "existence",
            Pattern::BoundedExistence(_) => "bounded-existence",
            Pattern::Universality => "universality",
            Pattern::Precedence => "precedence",
            Pattern::Response => "response",
            Pattern::PrecedenceChain21 => "precedence-chain-2-1",
            Pattern::PrecedenceChain12 => "precedence-chain-1-2",
            Pattern::ResponseChain21 => "response-chain-2-1",
            Pattern::ResponseChain12 => "response-chain-1-2",
        }
    }

    /// The letters it has formulas for.
    pub fn letters(self) -> &'static [char] {
        match self {
            Pattern::Absence | Pattern::Existence | Pattern::BoundedExistence(_) | Pattern::Universality => {
                &['P']
            }
            Pattern::Precedence | Pattern::Response => &['P', 'S'],
            _ => &['P', 'S', 'T'],
        }
    }

    /// A sentence in which the letters stand for what they stand for.
    pub fn sentence(self) -> String {
        match self {
            Pattern::Absence => "P never holds".into(),
            Pattern::Existence => "P holds at some moment".into(),
            Pattern::BoundedExistence(0) => "P never holds".into(),
            Pattern::BoundedExistence(1) => "P holds during at most one stretch of time".into(),
            Pattern::BoundedExistence(n) => format!("P holds during at most {n} separate stretches of time"),
            Pattern::Universality => "P always holds".into(),
            Pattern::Precedence => "P does not hold before S has held (both may begin together)".into(),
            Pattern::Response => "whenever P holds, S holds then or later".into(),
            Pattern::PrecedenceChain21 => "P does not hold before S has held and, in a later state, T".into(),
            Pattern::PrecedenceChain12 => {
                "if S holds and, in a later state, T, then P has held before S or with it".into()
            }
            Pattern::ResponseChain21 => {
                "whenever S holds and, in a later state, T, P holds with that T or later".into()
            }
            Pattern::ResponseChain12 => {
                "whenever P holds, S holds then or later, and T in a state after that".into()
            }
        }
    }
}

impl Scope {
    /// All of them.
    pub const ALL: [Scope; 5] =
        [Scope::Global, Scope::Before, Scope::After, Scope::Between, Scope::AfterUntil];

    /// As options call it.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Global => "global",
            Scope::Before => "before",
            Scope::After => "after",
            Scope::Between => "between",
            Scope::AfterUntil => "after-until",
        }
    }

    /// The letters it has formulas for.
    pub fn letters(self) -> &'static [char] {
        match self {
            Scope::Global => &[],
            Scope::Before => &['R'],
            Scope::After => &['Q'],
            Scope::Between | Scope::AfterUntil => &['Q', 'R'],
        }
    }

    /// The beginning of a sentence; empty for all of a run.
    pub fn sentence(self) -> &'static str {
        match self {
            Scope::Global => "",
            Scope::Before => "before R holds for the first time (nothing is said if it never does)",
            Scope::After => "from the moment on when Q holds for the first time",
            Scope::Between => "from each Q up to the next R (nothing is said if no R comes)",
            Scope::AfterUntil => "from each Q up to the next R, or forever if no R comes",
        }
    }
}

/// The formula of a pattern in a scope; `operand` gives what a letter stands for.
pub fn pattern(pattern: Pattern, scope: Scope, operand: impl Fn(char) -> Formula) -> Formula {
    let template = match (pattern, scope) {
        (Pattern::BoundedExistence(n), _) => bounded_existence(n, scope),
        _ => text(pattern, scope).to_string(),
    };
    let parsed = parse(&template).unwrap_or_else(|error| panic!("`{template}` is one of our own: {error}"));
    let operands: Vec<Formula> = parsed
        .propositions
        .iter()
        .map(|letter| operand(letter.chars().next().unwrap_or('p').to_ascii_uppercase()))
        .collect();
    substituted(&parsed.formula, &operands)
}

/// What is meant, in words; `operand` gives the text that a letter stands for.
pub fn pattern_in_words(pattern: Pattern, scope: Scope, operand: impl Fn(char) -> String) -> String {
    let text = match scope {
        Scope::Global => pattern.sentence(),
        _ => format!("{}: {}", scope.sentence(), pattern.sentence()),
    };
    // Letters stand alone, so that the `P` of a word is not taken for one.
    let mut words = Vec::new();
    for word in text.split(' ') {
        let (word, rest) = word.split_at(word.find([',', ':', ')']).unwrap_or(word.len()));
        let mut letters = word.chars();
        match (letters.next(), letters.next()) {
            (Some(letter @ ('P' | 'Q' | 'R' | 'S' | 'T')), None) => words.push(operand(letter) + rest),
            _ => words.push(format!("{word}{rest}")),
        }
    }
    words.join(" ")
}

/// In small letters, for R and the others are operators of the logic.
fn text(pattern: Pattern, scope: Scope) -> &'static str {
    use Scope::*;
    match (pattern, scope) {
        (Pattern::Absence, Global) => "[] !p",
        (Pattern::Absence, Before) => "<> r -> (!p U r)",
        (Pattern::Absence, After) => "[] (q -> [] !p)",
        (Pattern::Absence, Between) => "[] ((q && !r && <> r) -> (!p U r))",
        (Pattern::Absence, AfterUntil) => "[] ((q && !r) -> (!p W r))",

        (Pattern::Existence, Global) => "<> p",
        (Pattern::Existence, Before) => "!r W (p && !r)",
        (Pattern::Existence, After) => "[] !q || <> (q && <> p)",
        (Pattern::Existence, Between) => "[] ((q && !r) -> (!r W (p && !r)))",
        (Pattern::Existence, AfterUntil) => "[] ((q && !r) -> (!r U (p && !r)))",

        (Pattern::BoundedExistence(_), _) => unreachable!("made in a function of its own"),

        (Pattern::Universality, Global) => "[] p",
        (Pattern::Universality, Before) => "<> r -> (p U r)",
        (Pattern::Universality, After) => "[] (q -> [] p)",
        (Pattern::Universality, Between) => "[] ((q && !r && <> r) -> (p U r))",
        (Pattern::Universality, AfterUntil) => "[] ((q && !r) -> (p W r))",

        (Pattern::Precedence, Global) => "!p W s",
        (Pattern::Precedence, Before) => "<> r -> (!p U (s || r))",
        (Pattern::Precedence, After) => "!q W (q && (!p W s))",
        (Pattern::Precedence, Between) => "[] ((q && !r && <> r) -> (!p U (s || r)))",
        (Pattern::Precedence, AfterUntil) => "[] ((q && !r) -> (!p W (s || r)))",

        (Pattern::Response, Global) => "[] (p -> <> s)",
        (Pattern::Response, Before) => "<> r -> ((p -> (!r U (s && !r))) U r)",
        (Pattern::Response, After) => "[] (q -> [] (p -> <> s))",
        (Pattern::Response, Between) => "[] ((q && !r && <> r) -> ((p -> (!r U (s && !r))) U r))",
        (Pattern::Response, AfterUntil) => "[] ((q && !r) -> ((p -> (!r U (s && !r))) W r))",

        (Pattern::PrecedenceChain21, Global) => "<> p -> (!p U (s && !p && X (!p U t)))",
        (Pattern::PrecedenceChain21, Before) => "<> r -> (!p U (r || (s && !p && X (!p U t))))",
        (Pattern::PrecedenceChain21, After) => "!q W (q && (<> p -> (!p U (s && !p && X (!p U t)))))",
        (Pattern::PrecedenceChain21, Between) => "[] ((q && <> r) -> (!p U (r || (s && !p && X (!p U t)))))",
        (Pattern::PrecedenceChain21, AfterUntil) => {
            "[] (q -> (<> p -> (!p U (r || (s && !p && X (!p U t))))))"
        }

        (Pattern::PrecedenceChain12, Global) => "<> (s && X <> t) -> (!s U p)",
        (Pattern::PrecedenceChain12, Before) => "<> r -> (!(s && !r && X (!r U (t && !r))) U (r || p))",
        (Pattern::PrecedenceChain12, After) => "!q W (q && (<> (s && X <> t) -> (!s U p)))",
        (Pattern::PrecedenceChain12, Between) => {
            "[] ((q && <> r) -> (!(s && !r && X (!r U (t && !r))) U (r || p)))"
        }
        (Pattern::PrecedenceChain12, AfterUntil) => "[] (q -> (!(s && !r && X (!r U (t && !r))) W (r || p)))",

        (Pattern::ResponseChain21, Global) => "[] ((s && X <> t) -> X <> (t && <> p))",
        (Pattern::ResponseChain21, Before) => {
            "<> r -> (((s && X (!r U (t && !r))) -> X (!r U (t && !r && (!r U (p && !r))))) U r)"
        }
        (Pattern::ResponseChain21, After) => "[] (q -> [] ((s && X <> t) -> X <> (t && <> p)))",
        (Pattern::ResponseChain21, Between) => {
            "[] ((q && <> r) -> (((s && X (!r U (t && !r))) -> X (!r U (t && !r && (!r U (p && !r))))) U r))"
        }
        (Pattern::ResponseChain21, AfterUntil) => {
            "[] (q -> (((s && X (!r U (t && !r))) -> X (!r U (t && !r && (!r U (p && !r))))) W r))"
        }

        (Pattern::ResponseChain12, Global) => "[] (p -> <> (s && X <> t))",
        (Pattern::ResponseChain12, Before) => "<> r -> ((p -> (!r U (s && !r && X (!r U (t && !r))))) U r)",
        (Pattern::ResponseChain12, After) => "[] (q -> [] (p -> <> (s && X <> t)))",
        (Pattern::ResponseChain12, Between) => {
            "[] ((q && <> r) -> ((p -> (!r U (s && !r && X (!r U (t && !r))))) U r))"
        }
        (Pattern::ResponseChain12, AfterUntil) => {
            "[] (q -> ((p -> (!r U (s && !r && X (!r U (t && !r))))) W r))"
        }
    }
}

/// Stretches with and without P take turns; the scope may end in each of them.
fn bounded_existence(n: u32, scope: Scope) -> String {
    let ends = !matches!(scope, Scope::Global | Scope::After);
    let until = if matches!(scope, Scope::Before | Scope::Between) { "U" } else { "W" };
    let mut body = if ends { format!("(!p {until} r)") } else { "[] !p".to_string() };
    for _ in 0..n {
        for literal in ["p", "!p"] {
            let rest = if ends { format!("(r || {body})") } else { body };
            body = format!("({literal} {until} {rest})");
        }
    }
    match scope {
        Scope::Global => body,
        Scope::Before => format!("<> r -> {body}"),
        Scope::After => format!("!q W (q && {body})"),
        Scope::Between => format!("[] ((q && <> r) -> {body})"),
        Scope::AfterUntil => format!("[] (q -> {body})"),
    }
}

/// After E: always, eventually or never F, unless D releases it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Requirement {
    /// E, which opens the obligation; none: it is open at the start, once.
    pub after: Option<Formula>,
    /// What is to be the case.
    pub demand: Demand,
    /// F.
    pub what: Formula,
    /// D, which closes the obligation, and how.
    pub release: Option<(Release, Formula)>,
    /// Whether the state in which D holds belongs to the time of the obligation. None is the usual answer: not for
    /// always and never, which need not hold there any more; for eventually it does, so that F and D may come together.
    pub release_state: Option<bool>,
    /// Whether the obligation begins in the state after E.
    pub strictly_after: bool,
    /// Whether only the first E opens it.
    pub first_only: bool,
}

/// What is to be the case.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Demand {
    /// In all states.
    Always,
    /// In one.
    Eventually,
    /// In none.
    Never,
}

/// What D does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Release {
    /// It ends the obligation, if it comes at all.
    Unless,
    /// It ends the obligation, and has to come. For always and never.
    Until,
    /// F has to come before it. For eventually.
    Before,
}

/// Why there is no such requirement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Contradiction {
    /// Until belongs to always and never.
    #[error("`eventually … until` can be meant in several ways")]
    EventuallyUntil,
    /// Before belongs to eventually.
    #[error("`before` belongs to `eventually`")]
    AlwaysBefore,
    /// Whether the state of D counts matters only where D is a border.
    #[error("it makes no difference here whether the state of the release counts")]
    NoReleaseState,
    /// Without E there is nothing to be first or strictly after.
    #[error("without a beginning there is nothing to come after")]
    NoBeginning,
}

impl Requirement {
    /// The formula.
    pub fn formula(&self) -> Result<Formula, Contradiction> {
        self.check()?;
        let body = self.body();
        let Some(after) = &self.after else { return Ok(body) };
        let body = if self.strictly_after { Next(Box::new(body)) } else { body };
        let pair = |a: &Formula, b| Box::new((a.clone(), b));
        Ok(match self.first_only {
            true => WeakUntil(pair(&after.negated(), And(vec![after.clone(), body]))),
            false => Always(Box::new(Implies(pair(after, body)))),
        })
    }

    fn check(&self) -> Result<(), Contradiction> {
        let release = self.release.as_ref().map(|(release, _)| *release);
        match (self.demand, release) {
            (Demand::Eventually, Some(Release::Until)) => return Err(Contradiction::EventuallyUntil),
            (Demand::Always | Demand::Never, Some(Release::Before)) => {
                return Err(Contradiction::AlwaysBefore);
            }
            (Demand::Eventually, Some(Release::Unless)) | (_, None) if self.release_state.is_some() => {
                return Err(Contradiction::NoReleaseState);
            }
            _ => {}
        }
        match self.after.is_none() && (self.strictly_after || self.first_only) {
            true => Err(Contradiction::NoBeginning),
            false => Ok(()),
        }
    }

    /// From the beginning of the obligation on.
    fn body(&self) -> Formula {
        let what = if self.demand == Demand::Never { self.what.negated() } else { self.what.clone() };
        let eventually = self.demand == Demand::Eventually;
        let Some((release, end)) = &self.release else {
            return if eventually { Eventually(Box::new(what)) } else { Always(Box::new(what)) };
        };
        let included = self.release_state.unwrap_or(eventually);
        let pair = |a: &Formula, b: &Formula| Box::new((a.clone(), b.clone()));
        match (release, eventually, included) {
            (_, true, _) if *release != Release::Before => Eventually(Box::new(Or(vec![what, end.clone()]))),
            (_, true, true) => Until(pair(&end.negated(), &what)),
            (_, true, false) => Until(pair(&end.negated(), &And(vec![what, end.negated()]))),
            (Release::Unless, _, false) => WeakUntil(pair(&what, end)),
            (Release::Unless, _, true) => Formula::Release(pair(end, &what)),
            (_, _, false) => Until(pair(&what, end)),
            (_, _, true) => StrongRelease(pair(end, &what)),
        }
    }

    /// What was decided where people differ, a sentence each.
    pub fn choices(&self) -> Vec<&'static str> {
        let mut choices = Vec::new();
        let release = self.release.as_ref().map(|(release, _)| *release);
        let eventually = self.demand == Demand::Eventually;
        if self.after.is_some() {
            choices.push(match self.strictly_after {
                true => "it begins in the state after the one that opens it",
                false => "it begins in the very state that opens it",
            });
            choices.push(match self.first_only {
                true => "only the first time opens it",
                false => "each time opens it; being opened again while it is open changes nothing",
            });
        } else {
            choices.push("it is open from the first state on, once");
        }
        match (release, self.release_state.unwrap_or(eventually)) {
            (None, _) => {}
            (Some(Release::Before), true) => choices.push("both in the same state is early enough"),
            (Some(Release::Before), false) => choices.push("both in the same state is too late"),
            (Some(_), _) if eventually => {
                choices.push("the release cancels it: nothing is required any more")
            }
            (Some(_), false) => choices.push("the state with the release is free already"),
            (Some(_), true) => choices.push("the state with the release is not free yet"),
        }
        match release {
            Some(Release::Unless) if !eventually => choices.push("the release need not come"),
            Some(Release::Until) => choices.push("the release has to come"),
            _ => {}
        }
        choices.push("if a run ends, its last state counts as repeated forever");
        choices
    }
}

/// Formulas read one by one, over the same propositions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Operands {
    /// The text of each proposition.
    pub propositions: Vec<String>,
}

impl Operands {
    /// The formula, with its propositions renumbered.
    pub fn adopt(&mut self, parsed: &Parsed) -> Formula {
        let mut numbers = Vec::new();
        for name in &parsed.propositions {
            let number = self.propositions.iter().position(|have| have == name).unwrap_or_else(|| {
                self.propositions.push(name.clone());
                self.propositions.len() - 1
            });
            numbers.push(Proposition(number as u32));
        }
        substituted(&parsed.formula, &numbers)
    }
}

/// Puts formulas in place of propositions.
fn substituted(formula: &Formula, operands: &[Formula]) -> Formula {
    let one = |f: &Formula| Box::new(substituted(f, operands));
    let pair = |p: &(Formula, Formula)| Box::new((substituted(&p.0, operands), substituted(&p.1, operands)));
    let many = |parts: &[Formula]| parts.iter().map(|f| substituted(f, operands)).collect();
    match formula {
        True | False => formula.clone(),
        Proposition(p) => operands.get(*p as usize).cloned().unwrap_or_else(|| formula.clone()),
        // A negated operand that is a negation itself is the operand without it.
        Not(f) => substituted(f, operands).negated(),
        And(parts) => And(many(parts)),
        Or(parts) => Or(many(parts)),
        Implies(p) => Implies(pair(p)),
        Equivalent(p) => Equivalent(pair(p)),
        Next(f) => Next(one(f)),
        Eventually(f) => Eventually(one(f)),
        Always(f) => Always(one(f)),
        Until(p) => Until(pair(p)),
        WeakUntil(p) => WeakUntil(pair(p)),
        Formula::Release(p) => Formula::Release(pair(p)),
        StrongRelease(p) => StrongRelease(pair(p)),
    }
}

#[cfg(test)]
mod tests;
