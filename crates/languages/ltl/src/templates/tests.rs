//! Every template against a definition that speaks of states and numbers, on all short words.

use expect_test::expect;

use super::*;
use crate::{Lasso, holds_on};

/// A word unrolled so far that whatever happens at all happens here.
struct Run {
    letters: Vec<u64>,
    /// Where definitions look for a beginning; from there on everything repeats.
    starts: usize,
}

impl Run {
    fn of(word: &Lasso) -> Run {
        let mut position = 0;
        let letters = (0..word.len() * 8)
            .map(|_| {
                let letter = word.letter(position);
                position = word.next(position);
                letter
            })
            .collect();
        Run { letters, starts: word.len() }
    }

    fn is(&self, position: usize, proposition: u64) -> bool {
        self.letters[position] >> proposition & 1 == 1
    }

    fn first(&self, proposition: u64, from: usize) -> Option<usize> {
        (from..self.letters.len()).find(|i| self.is(*i, proposition))
    }
}

const P: u64 = 0;
const S: u64 = 1;
const T: u64 = 2;
const Q: u64 = 3;
const R: u64 = 4;

/// What the pattern means from `a` to before `b`, or forever.
fn means(run: &Run, pattern: Pattern, a: usize, b: Option<usize>) -> bool {
    let end = b.unwrap_or(run.letters.len());
    // What begins later in an endless segment has begun before as well, where there is more to see of how it goes on.
    let last = b.unwrap_or(a + 3 * run.starts);
    let mut all = a..end;
    let any = |mut range: std::ops::Range<usize>, p: u64| range.any(|i| run.is(i, p));
    match pattern {
        Pattern::Absence => !any(all, P),
        Pattern::Existence => any(all, P),
        Pattern::Universality => all.all(|i| run.is(i, P)),
        Pattern::BoundedExistence(n) => {
            all.filter(|i| run.is(*i, P) && (*i == a || !run.is(*i - 1, P))).count() <= n as usize
        }
        Pattern::Precedence => all.find(|i| run.is(*i, P)).is_none_or(|i| any(a..i + 1, S)),
        Pattern::Response => (a..last).all(|i| !run.is(i, P) || any(i..end, S)),
        Pattern::PrecedenceChain21 => {
            all.find(|i| run.is(*i, P)).is_none_or(|i| (a..i).any(|j| run.is(j, S) && any(j + 1..i + 1, T)))
        }
        Pattern::PrecedenceChain12 => {
            let chain = (a..last).find(|j| run.is(*j, S) && any(j + 1..end, T));
            chain.is_none_or(|j| any(a..j + 1, P))
        }
        Pattern::ResponseChain21 => (a..last)
            .filter(|j| run.is(*j, S))
            .all(|j| (j + 1..end).find(|k| run.is(*k, T)).is_none_or(|k| any(k..end, P))),
        Pattern::ResponseChain12 => {
            (a..last).filter(|i| run.is(*i, P)).all(|i| (i..end).any(|j| run.is(j, S) && any(j + 1..end, T)))
        }
    }
}

fn means_in_scope(run: &Run, pattern: Pattern, scope: Scope) -> bool {
    match scope {
        Scope::Global => means(run, pattern, 0, None),
        Scope::Before => run.first(R, 0).is_none_or(|r| means(run, pattern, 0, Some(r))),
        Scope::After => run.first(Q, 0).is_none_or(|q| means(run, pattern, q, None)),
        Scope::Between | Scope::AfterUntil => {
            (0..run.starts).filter(|q| run.is(*q, Q) && !run.is(*q, R)).all(|q| match run.first(R, q) {
                Some(r) => means(run, pattern, q, Some(r)),
                None => scope == Scope::Between || means(run, pattern, q, None),
            })
        }
    }
}

/// All words of so many letters in which only some propositions occur.
fn words(max: usize, propositions: &[u64]) -> impl Iterator<Item = Lasso> {
    let letters: Vec<u64> = (0..1u64 << propositions.len())
        .map(|set| propositions.iter().enumerate().fold(0, |letter, (i, p)| letter | (set >> i & 1) << p))
        .collect();
    (1..=max).flat_map(move |length| {
        let letters = letters.clone();
        (0..letters.len().pow(length as u32)).flat_map(move |number| {
            let mut number = number;
            let mut word = Vec::new();
            for _ in 0..length {
                word.push(letters[number % letters.len()]);
                number /= letters.len();
            }
            (0..length)
                .map(move |split| Lasso { prefix: word[..split].to_vec(), cycle: word[split..].to_vec() })
        })
    })
}

fn number(letter: char) -> u64 {
    match letter {
        'P' => P,
        'S' => S,
        'T' => T,
        'Q' => Q,
        _ => R,
    }
}

fn check_pattern(which: Pattern, scope: Scope) {
    let formula = pattern(which, scope, |letter| Proposition(number(letter) as u32));
    let letters: Vec<u64> =
        which.letters().iter().chain(scope.letters()).map(|letter| number(*letter)).collect();
    let max = [0, 7, 5, 4, 3, 3][letters.len()];
    let mut outcomes = [0; 2];
    for word in words(max, &letters) {
        let expected = means_in_scope(&Run::of(&word), which, scope);
        assert_eq!(holds_on(&formula, &word), expected, "{which:?} {scope:?} {word:?}");
        outcomes[usize::from(expected)] += 1;
    }
    // A third stretch of P does not fit into the shorter words.
    let is_bounded = matches!(which, Pattern::BoundedExistence(_));
    assert!(is_bounded || outcomes.iter().all(|count| *count > 0), "{which:?} {scope:?} is always the same");
}

#[test]
fn patterns_mean_what_they_say() {
    for which in Pattern::ALL {
        for scope in Scope::ALL {
            check_pattern(which, scope);
        }
    }
}

#[test]
fn bounds_can_be_chosen() {
    for n in 0..=3 {
        check_bound(n, Scope::Global, 8, &[P]);
        check_bound(n, Scope::Before, 6, &[P, R]);
        check_bound(n, Scope::After, 6, &[P, Q]);
    }
    check_bound(1, Scope::Between, 5, &[P, Q, R]);
    check_bound(1, Scope::AfterUntil, 5, &[P, Q, R]);
}

fn check_bound(n: u32, scope: Scope, max: usize, letters: &[u64]) {
    let which = Pattern::BoundedExistence(n);
    let formula = pattern(which, scope, |letter| Proposition(number(letter) as u32));
    for word in words(max, letters) {
        let expected = means_in_scope(&Run::of(&word), which, scope);
        assert_eq!(holds_on(&formula, &word), expected, "{which:?} {scope:?} {word:?}");
    }
}

/// Whether an obligation that is open from `a` on is met.
fn obligation_is_met(run: &Run, requirement: &Requirement, a: usize) -> bool {
    const F: u64 = P;
    const D: u64 = R;
    let eventually = requirement.demand == Demand::Eventually;
    let included = requirement.release_state.unwrap_or(eventually);
    let release = requirement.release.as_ref().map(|(release, _)| *release);
    let end = release.and_then(|_| run.first(D, a));
    let stop = end.map_or(run.letters.len(), |d| d + usize::from(included));
    let mut time = a..stop;
    let comes = end.is_some();
    match requirement.demand {
        Demand::Always => time.all(|i| run.is(i, F)) && (comes || release != Some(Release::Until)),
        Demand::Never => !time.any(|i| run.is(i, F)) && (comes || release != Some(Release::Until)),
        Demand::Eventually if release == Some(Release::Unless) => comes || time.any(|i| run.is(i, F)),
        Demand::Eventually => time.any(|i| run.is(i, F)),
    }
}

fn requirement_is_met(run: &Run, requirement: &Requirement) -> bool {
    let shift = usize::from(requirement.strictly_after);
    let mut opened = (0..run.starts).filter(|i| run.is(*i, Q));
    match (&requirement.after, requirement.first_only) {
        (None, _) => obligation_is_met(run, requirement, 0),
        (Some(_), false) => opened.all(|i| obligation_is_met(run, requirement, i + shift)),
        (Some(_), true) => opened.next().is_none_or(|i| obligation_is_met(run, requirement, i + shift)),
    }
}

fn requirements() -> Vec<Requirement> {
    let proposition = |p: u64| Proposition(p as u32);
    let releases = [None, Some(Release::Unless), Some(Release::Until), Some(Release::Before)];
    let mut all = Vec::new();
    for demand in [Demand::Always, Demand::Eventually, Demand::Never] {
        for release in releases {
            for release_state in [None, Some(false), Some(true)] {
                for flags in 0..8 {
                    all.push(Requirement {
                        after: (flags & 4 == 0).then(|| proposition(Q)),
                        demand,
                        what: proposition(P),
                        release: release.map(|release| (release, proposition(R))),
                        release_state,
                        strictly_after: flags & 1 == 1,
                        first_only: flags & 2 == 2,
                    });
                }
            }
        }
    }
    all
}

#[test]
fn requirements_mean_what_they_say() {
    let mut n_checked = 0;
    for requirement in requirements() {
        let Ok(formula) = requirement.formula() else { continue };
        n_checked += 1;
        for word in words(4, &[P, Q, R]) {
            let expected = requirement_is_met(&Run::of(&word), &requirement);
            assert_eq!(holds_on(&formula, &word), expected, "{requirement:?} {word:?}");
        }
    }
    // Three demands without release; always and never with two, eventually with one and with the three forms of another.
    assert_eq!(n_checked, (3 + 2 * 2 * 3 + 1 + 3) * 5);
}

#[test]
fn the_usual_choices() {
    let names: Vec<String> = ["f", "?", "?", "e", "d"].map(String::from).to_vec();
    let usual = |r: &&Requirement| {
        r.after.is_some() && r.release_state.is_none() && !r.strictly_after && !r.first_only
    };
    let mut lines = String::new();
    for requirement in requirements().iter().filter(usual) {
        let Ok(formula) = requirement.formula() else { continue };
        let release = requirement.release.as_ref().map(|(release, _)| *release);
        lines += &format!("{:?} {release:?}: {}\n", requirement.demand, formula.display(&names));
    }
    expect![[r#"
        Always None: [](e -> []f)
        Always Some(Unless): [](e -> f W d)
        Always Some(Until): [](e -> f U d)
        Eventually None: [](e -> <>f)
        Eventually Some(Unless): [](e -> <>(f || d))
        Eventually Some(Before): [](e -> !d U f)
        Never None: [](e -> []!f)
        Never Some(Unless): [](e -> !f W d)
        Never Some(Until): [](e -> !f U d)
    "#]]
    .assert_eq(&lines);
}

#[test]
fn operands_share_propositions() {
    let mut operands = Operands::default();
    let mut adopt = |text: &str| operands.adopt(&parse(text).unwrap());
    let (p, q) = (adopt("x == 1 && y"), adopt("!y"));
    let formula = pattern(Pattern::Precedence, Scope::After, |letter| match letter {
        'P' => p.clone(),
        'S' => q.clone(),
        _ => q.negated(),
    });
    expect!["!y W (y && !((x == 1) && y) W !y)"]
        .assert_eq(&formula.display(&operands.propositions).to_string());
}

#[test]
fn patterns_in_words() {
    let say = |which, scope| pattern_in_words(which, scope, |letter| letter.to_lowercase().to_string());
    expect!["whenever p holds, s holds then or later"].assert_eq(&say(Pattern::Response, Scope::Global));
    expect!["from each q up to the next r (nothing is said if no r comes): p does not hold before s has held and, in a later state, t"].assert_eq(&say(Pattern::PrecedenceChain21, Scope::Between));
}
