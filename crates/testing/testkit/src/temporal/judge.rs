//! Whether two sides agree, and where Spin is known to be wrong.

use super::Question;
use super::oracle::Answer as Spin;
use super::ours::{Answer as Ours, Way};

/// The answers to one question.
#[derive(Clone, Debug)]
pub struct Answers {
    pub spin: Spin,
    /// What Spin says without fairness, if the question is under fairness.
    pub spin_unfair: Option<Spin>,
    /// In the order of `ours::WAYS`, never empty.
    pub ours: Vec<(Way, Ours)>,
    /// Stored states of a full search by Spin and by the checker, where both find no violation.
    pub states: Option<(u64, u64)>,
    /// Whether a process of the model has a provided clause.
    pub has_provided: bool,
    /// Whether the model has priorities.
    pub has_priorities: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    Agreed {
        holds: bool,
    },
    /// The verdicts differ, and Spin is wrong for this reason.
    Explained(&'static str),
    /// There is nothing to compare.
    Skipped(String),
    Different(Difference),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Shrinking keeps it, so that one bug does not turn into another on the way.
    pub class: String,
    pub text: String,
}

/// A known error of Spin: its name and how it is recognised, given the first answer of ours.
type Rule = (&'static str, fn(&Question, &Answers, &Ours) -> bool);

/// A rule needs a proof that Spin is wrong: a counterexample of ours, which was replayed before it was reported, or
/// two answers of Spin that contradict each other. None trusts a `holds` of ours.
const RULES: &[Rule] = &[
    ("pan -f loses runs that come to a stop", fair_run_that_stops),
    ("pan -f waits for processes that provided clauses stop", provided_counts_as_enabled),
    ("pan -f waits for processes that priorities stop", outranked_counts_as_enabled),
    ("pan -f finds a violation where pan without -f finds none", more_runs_by_fairness),
];

/// Under weak fairness pan's counter of processes does not advance while the stopped system stutters, unless the claim
/// stays in one state. A run that stops is fair: nobody can move. (`P(){n=1} Q(){n=2}` violates `<>[](n==1)`.)
fn fair_run_that_stops(question: &Question, answers: &Answers, ours: &Ours) -> bool {
    question.fair
        && matches!(answers.spin, Spin::Holds { .. })
        && matches!(ours, Ours::Violated { stutters: true, .. })
}

/// pan does not take a process for blocked whose provided clause is false, so fair runs in which it never moves are
/// lost. (`P() provided (false) {skip} Q(){do :: n=1-n od}` violates `<>(n==2)`.)
fn provided_counts_as_enabled(question: &Question, answers: &Answers, ours: &Ours) -> bool {
    question.fair
        && answers.has_provided
        && matches!(answers.spin, Spin::Holds { .. })
        && matches!(ours, Ours::Violated { .. })
}

/// The same of a process that never moves because another one of higher priority always can.
/// (`P(){skip} Q() priority 3 {do :: n=1-n od}` violates `<>(n==2)`.)
fn outranked_counts_as_enabled(question: &Question, answers: &Answers, ours: &Ours) -> bool {
    question.fair
        && answers.has_priorities
        && matches!(answers.spin, Spin::Holds { .. })
        && matches!(ours, Ours::Violated { .. })
}

/// Fairness only takes runs away. Without a claim pan -f reports "accept stutter" wherever the system stops while the
/// bit is set that belongs to fairness, be it at an accepting label or not.
fn more_runs_by_fairness(question: &Question, answers: &Answers, ours: &Ours) -> bool {
    question.fair
        && matches!(answers.spin_unfair, Some(Spin::Holds { .. }))
        && matches!(answers.spin, Spin::Violated(_))
        && ours.holds() == Some(true)
}

pub fn judge(question: &Question, answers: &Answers) -> Judgement {
    if let Some(difference) = among_ours(answers) {
        return Judgement::Different(difference);
    }
    let (_, ours) = &answers.ours[0];
    let spin_holds = match &answers.spin {
        Spin::Silent(reason) => return Judgement::Skipped(reason.clone()),
        Spin::Holds { .. } => true,
        Spin::Violated(_) => false,
    };
    match ours.holds() {
        Some(holds) if holds == spin_holds => same_states(answers, holds),
        Some(_) => match RULES.iter().find(|(_, applies)| applies(question, answers, ours)) {
            Some((name, _)) => Judgement::Explained(name),
            None => different(
                if spin_holds { "only ours is violated" } else { "only Spin's is violated" },
                answers,
            ),
        },
        None if *ours == Ours::TimedOut => Judgement::Skipped("too much time for allways".into()),
        None => match ours {
            // What is wrong with a model says which bug it is.
            Ours::Rejected(codes) => different(&format!("rejected by ours: {codes}"), answers),
            _ => different("no verdict of ours", answers),
        },
    }
}

/// Whether two ways give different verdicts, or one fails. A way may refuse, and may run out of time.
fn among_ours(answers: &Answers) -> Option<Difference> {
    let verdicts = || answers.ours.iter().filter_map(|(way, answer)| Some((way.name, answer.holds()?)));
    let failed = answers.ours.iter().find(|(_, answer)| matches!(answer, Ours::Failed(_)));
    if let Some((way, _)) = failed {
        return Some(difference(format!("{} fails", way.name), answers));
    }
    let (first, holds) = verdicts().next()?;
    let (other, _) = verdicts().find(|(_, other)| *other != holds)?;
    Some(difference(format!("{first} and {other} differ"), answers))
}

fn same_states(answers: &Answers, holds: bool) -> Judgement {
    match answers.states {
        Some((spin, ours)) if spin != ours => different("states", answers),
        _ => Judgement::Agreed { holds },
    }
}

fn different(class: &str, answers: &Answers) -> Judgement {
    Judgement::Different(difference(class.to_owned(), answers))
}

fn difference(class: String, answers: &Answers) -> Difference {
    let mut text = format!("{class}\n{:<14} {:?}\n", "Spin", answers.spin);
    for (way, answer) in &answers.ours {
        text.push_str(&format!("{:<14} {answer:?}\n", way.name));
    }
    if let Some((spin, ours)) = answers.states {
        text.push_str(&format!("states: {spin} in Spin, {ours} in ours\n"));
    }
    Difference { class, text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Kind;
    use crate::temporal::ours::WAYS;

    const HOLDS: Ours = Ours::Holds { states: 3 };

    fn violated(stutters: bool) -> Ours {
        Ours::Violated { reason: String::new(), stutters }
    }

    fn judged(fair: bool, spin: Spin, ours: &[Ours], states: Option<(u64, u64)>) -> Judgement {
        let question = Question { kind: Kind::Ltl, property: "p0".into(), fair };
        let ours = WAYS.iter().copied().zip(ours.iter().cloned()).collect();
        let spin_unfair = fair.then_some(Spin::Holds { states: 9 });
        judge(
            &question,
            &Answers { spin, spin_unfair, ours, states, has_provided: false, has_priorities: false },
        )
    }

    #[test]
    fn a_contradiction_of_spin_is_explained() {
        let spin = || Spin::Violated("accept stutter".into());
        assert!(matches!(judged(true, spin(), &[HOLDS], None), Judgement::Explained(_)));
        assert!(matches!(judged(false, spin(), &[HOLDS], None), Judgement::Different(_)));
    }

    #[test]
    fn equal_verdicts_agree() {
        let cycle = || Spin::Violated("acceptance cycle".into());
        assert_eq!(
            judged(false, Spin::Holds { states: 9 }, &[HOLDS], None),
            Judgement::Agreed { holds: true }
        );
        assert_eq!(judged(false, cycle(), &[violated(false)], None), Judgement::Agreed { holds: false });
        assert!(matches!(judged(false, cycle(), &[HOLDS], None), Judgement::Different(_)));
    }

    #[test]
    fn a_fair_run_that_stops_is_explained() {
        let spin = || Spin::Holds { states: 3 };
        assert!(matches!(judged(true, spin(), &[violated(true)], None), Judgement::Explained(_)));
        assert!(matches!(judged(true, spin(), &[violated(false)], None), Judgement::Different(_)));
        assert!(matches!(judged(false, spin(), &[violated(true)], None), Judgement::Different(_)));
    }

    #[test]
    fn our_ways_must_agree_even_if_spin_is_silent() {
        let silent = || Spin::Silent("too deep".into());
        assert!(matches!(judged(false, silent(), &[HOLDS, HOLDS], None), Judgement::Skipped(_)));
        assert!(matches!(judged(false, silent(), &[HOLDS, violated(true)], None), Judgement::Different(_)));
        let refused = Ours::Refused("not with -j".into());
        assert!(matches!(judged(false, silent(), &[HOLDS, refused], None), Judgement::Skipped(_)));
    }

    #[test]
    fn states_are_compared() {
        let spin = || Spin::Holds { states: 3 };
        assert!(matches!(judged(false, spin(), &[HOLDS], Some((3, 3))), Judgement::Agreed { .. }));
        assert!(matches!(judged(false, spin(), &[HOLDS], Some((3, 4))), Judgement::Different(_)));
    }
}
