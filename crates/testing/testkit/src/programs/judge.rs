//! Whether all searches found the same ends, and the right ones.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::explorer::Answer;
use super::oracle::{End, Knowledge};

/// What the answers of all searches together say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// How many searches were complete; the others were too large.
    Equal(usize),
    Skipped,
    Different(Difference),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The same for programs that show the same mistake, so that shrinking does not wander off.
    pub class: String,
    pub text: String,
}

/// Compares each answer with that of the search without reduction, which comes first, where the oracle knows too little.
pub fn judge_by_first(answers: &[(&str, Answer)]) -> Judgement {
    match answers {
        [(_, Answer::Ends { ends, .. }), ..] => {
            let knowledge = Knowledge { ends: ends.clone(), ..Knowledge::default() };
            match judge(&knowledge, answers) {
                // Only to itself.
                Judgement::Equal(1) => Judgement::Skipped,
                other => other,
            }
        }
        [first @ (_, Answer::Trouble(_)), ..] => judge(&Knowledge::default(), std::slice::from_ref(first)),
        _ => Judgement::Skipped,
    }
}

/// Compares each answer with what the oracle knows.
pub fn judge(knowledge: &Knowledge, answers: &[(&str, Answer)]) -> Judgement {
    if let Some(difference) = uneven(answers) {
        return Judgement::Different(difference);
    }
    let mut complete = 0;
    for (search, answer) in answers {
        match answer {
            Answer::TooLarge => {}
            Answer::Trouble(text) => {
                let first = text.lines().next().unwrap_or("").to_string();
                let word = first.split([':', ' ']).next().unwrap_or("");
                let class = format!("trouble with {search}: {word}");
                return Judgement::Different(Difference { class, text: format!("{search}: {text}") });
            }
            Answer::Ends { ends, .. } if *ends == knowledge.ends => complete += 1,
            Answer::Ends { ends, .. } => return Judgement::Different(difference(search, ends, knowledge)),
        }
    }
    if complete == 0 { Judgement::Skipped } else { Judgement::Equal(complete) }
}

/// Without reduction, any number of workers makes the same executions.
fn uneven(answers: &[(&str, Answer)]) -> Option<Difference> {
    let naive = answers.iter().filter(|(search, _)| search.split('/').next() == Some("naive"));
    let mut counts = naive.filter_map(|(search, answer)| match answer {
        Answer::Ends { executions, .. } => Some((search, executions)),
        _ => None,
    });
    let (first, expected) = counts.next()?;
    let (search, executions) = counts.find(|(_, executions)| *executions != expected)?;
    let text = format!("{search}: {executions} executions, but {expected} with {first}\n");
    Some(Difference { class: format!("{search} counts otherwise"), text })
}

fn difference(search: &str, ends: &BTreeSet<End>, knowledge: &Knowledge) -> Difference {
    let missing: Vec<&End> = knowledge.ends.difference(ends).collect();
    let surplus: Vec<&End> = ends.difference(&knowledge.ends).collect();
    // Too much is a wrong meaning of an operation, too little an unsound reduction.
    let word = if surplus.is_empty() { "misses" } else { "invents" };
    let mut text = format!("{search}: {} ends, {} expected\n", ends.len(), knowledge.ends.len());
    for (sign, list) in [("missing", missing), ("surplus", surplus)] {
        for end in list.iter().take(5) {
            let _ = writeln!(text, "{sign}: {end:?}");
        }
    }
    Difference { class: format!("{search} {word}"), text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(lines: &[&str]) -> Answer {
        let ends = lines.iter().map(|line| End::Finished(line.to_string())).collect();
        Answer::Ends { ends, executions: 1 }
    }

    fn class(answer: Answer) -> String {
        let ends = ["a", "b"].map(|line| End::Finished(line.into())).into();
        let knowledge = Knowledge { ends, ..Knowledge::default() };
        match judge(&knowledge, &[("naive", Answer::TooLarge), ("source", answer)]) {
            Judgement::Different(difference) => difference.class,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn workers_make_the_same_executions() {
        let knowledge = Knowledge { ends: [End::Finished("a".into())].into(), ..Knowledge::default() };
        let answer = |executions| Answer::Ends { ends: knowledge.ends.clone(), executions };
        let judged = |searches: [&'static str; 2], counts: [u64; 2]| {
            judge(&knowledge, &[(searches[0], answer(counts[0])), (searches[1], answer(counts[1]))])
        };
        assert_eq!(judged(["naive", "naive/2"], [3, 3]), Judgement::Equal(2));
        assert_eq!(judged(["source", "source/2"], [3, 4]), Judgement::Equal(2));
        let Judgement::Different(difference) = judged(["naive", "naive/2"], [3, 4]) else {
            panic!("the counts differ")
        };
        assert_eq!(difference.class, "naive/2 counts otherwise");
    }

    #[test]
    fn ends_must_be_the_same() {
        assert_eq!(class(answer(&["a", "b"])), "Equal(1)");
        assert_eq!(class(answer(&["a"])), "source misses");
        assert_eq!(class(answer(&["a", "b", "c"])), "source invents");
        assert_eq!(class(Answer::TooLarge), "Skipped");
        assert_eq!(class(Answer::Trouble("crash: 11".into())), "trouble with source: crash");
    }
}
