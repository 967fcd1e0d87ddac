//! A few short words of a language, chosen to show where its border is.

use rustc_hash::FxHashSet;

use crate::{Automaton, Edge, Label, Lasso, intersection, witness};

/// Up to `count` different words that the automaton accepts, short ones first.
///
/// If there are few propositions all short words are tried with `accepts`, which has to agree with the automaton.
/// Preferred are those that a small change takes out of the language, and among them those in which other propositions
/// occur, or others together, than in the words taken before. Otherwise, and if no short word is accepted, the automaton is asked for
/// words.
pub fn examples(automaton: &Automaton, count: usize, accepts: impl Fn(&Lasso) -> bool) -> Vec<Lasso> {
    let mut chosen: Vec<Lasso> = Vec::new();
    let mut seen = FxHashSet::default();
    let short = short_words(automaton.n_propositions);
    let accepted: Vec<&Lasso> = short.iter().filter(|word| accepts(word)).collect();
    let critical = |word: &&&Lasso| neighbours(word, automaton.n_propositions).any(|other| !accepts(&other));
    let critical: Vec<&&Lasso> = accepted.iter().filter(critical).collect();
    for word in &critical {
        let occurring = word.prefix.iter().chain(&word.cycle).fold(0, |all, letter| all | letter);
        if chosen.len() < count && seen.insert(vec![occurring]) {
            chosen.push((**word).clone());
        }
    }
    for word in critical {
        let mut letters = [&word.prefix[..], &word.cycle].concat();
        letters.sort_unstable();
        letters.dedup();
        if chosen.len() < count && !chosen.contains(word) && seen.insert(letters) {
            chosen.push((*word).clone());
        }
    }
    for word in accepted {
        if chosen.len() < count && !chosen.contains(word) {
            chosen.push(word.clone());
        }
    }
    let mut rest = automaton.clone();
    for word in &chosen {
        rest = intersection(&rest, &other_words(word, automaton.n_propositions));
    }
    while chosen.len() < count
        && let Some(word) = witness(&rest)
    {
        let word = shortest_form(word);
        rest = intersection(&rest, &other_words(&word, automaton.n_propositions));
        chosen.push(word);
    }
    chosen.sort_by_key(|word| word.len());
    chosen
}

/// All words up to some length, by length; each once, in its shortest form.
fn short_words(n_propositions: u32) -> Vec<Lasso> {
    const MAX_WORDS: usize = 20_000;
    const MAX_LENGTH: usize = 4;
    let mut words = Vec::new();
    let Some(n_letters) = 1usize.checked_shl(n_propositions).filter(|n| *n <= MAX_WORDS) else {
        return words;
    };
    for length in 1..=MAX_LENGTH {
        let n_sequences = n_letters.pow(length as u32);
        if n_sequences.saturating_mul(length) > MAX_WORDS {
            break;
        }
        for number in 0..n_sequences {
            let letter = |i: usize| (number / n_letters.pow((length - 1 - i) as u32) % n_letters) as u64;
            let letters: Vec<u64> = (0..length).map(letter).collect();
            let split = |at: usize| Lasso { prefix: letters[..at].to_vec(), cycle: letters[at..].to_vec() };
            words.extend((0..length).rev().map(split).filter(|word| shortest_form(word.clone()) == *word));
        }
    }
    // Of words of the same length, those in which little holds, and little at the same time.
    words.sort_by_key(|word| {
        let counts = || word.prefix.iter().chain(&word.cycle).map(|letter| letter.count_ones());
        (word.len(), counts().sum::<u32>(), counts().max())
    });
    words
}

/// The words in which one proposition is different in one place.
fn neighbours(word: &Lasso, n_propositions: u32) -> impl Iterator<Item = Lasso> {
    (0..word.len()).flat_map(move |position| {
        (0..n_propositions).map(move |proposition| {
            let mut other = word.clone();
            let n_prefix = other.prefix.len();
            let letter = match position.checked_sub(n_prefix) {
                None => &mut other.prefix[position],
                Some(i) => &mut other.cycle[i],
            };
            *letter ^= 1 << proposition;
            other
        })
    })
}

/// The same word with the shortest cycle and the shortest prefix.
fn shortest_form(mut word: Lasso) -> Lasso {
    let n = word.cycle.len();
    let repeats = |period: &usize| {
        n.is_multiple_of(*period) && (*period..n).all(|i| word.cycle[i] == word.cycle[i - period])
    };
    let period = (1..n).find(repeats).unwrap_or(n);
    word.cycle.truncate(period);
    while word.prefix.last().is_some_and(|last| word.cycle.last() == Some(last)) {
        word.prefix.pop();
        word.cycle.rotate_right(1);
    }
    word
}

/// An automaton for all words but one: it follows the word until there is a difference.
fn other_words(word: &Lasso, n_propositions: u32) -> Automaton {
    let sink = word.len() as u32;
    let all = if n_propositions == 0 { 0 } else { u64::MAX >> (64 - n_propositions.min(64)) };
    let mut states: Vec<Vec<Edge>> = (0..word.len())
        .map(|position| {
            let letter = word.letter(position);
            let same = Label { cubes: vec![crate::Cube { ones: letter & all, zeros: !letter & all }] };
            let mut edges = vec![Edge { label: same.not(), target: sink, marks: 0 }];
            edges.push(Edge { label: same, target: word.next(position) as u32, marks: 0 });
            edges.retain(|edge| !edge.label.is_false());
            edges
        })
        .collect();
    states.push(vec![Edge { label: Label::always(), target: sink, marks: 1 }]);
    Automaton { n_propositions, n_marks: 1, initial: 0, states }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::{TranslateOptions, holds_on, parse, translate};

    fn check(text: &str, expected: Expect) {
        let parsed = parse(text).unwrap();
        let automaton = translate(&parsed.formula, &TranslateOptions::default()).unwrap();
        let words = examples(&automaton, 4, |word| holds_on(&parsed.formula, word));
        for (i, word) in words.iter().enumerate() {
            assert!(holds_on(&parsed.formula, word), "{word:?}");
            assert!(!words[..i].contains(word), "{word:?}");
        }
        let lines = words.iter().map(|word| format!("{}\n", crate::lasso_text(word, &parsed.propositions)));
        expected.assert_eq(&lines.collect::<String>());
    }

    #[test]
    fn words_are_short_and_different() {
        check(
            "[] (p -> <> q)",
            expect![[r#"
                ({})*
                ({p, q})*
                {q} ({})*
                {p} ({q})*
            "#]],
        );
        check(
            "!([] (p -> <> q))",
            expect![[r#"
            ({p})*
            {q} ({p})*
            {} ({p})*
            {p, q} ({p})*
        "#]],
        );
        check(
            "<> p",
            expect![[r#"
            ({p})*
            {} ({p})*
            ({} {p})*
            {p} ({})*
        "#]],
        );
        check("p && !p", expect![""]);
        check(
            "true",
            expect![[r#"
            ({})*
        "#]],
        );
    }

    #[test]
    fn longer_words_come_from_the_automaton() {
        check(
            "a && X (b && X (c && X (d && X (e && X (f && X [] !a)))))",
            expect![[r#"
            {a} ({b, c, d, e, f})*
            {a, b} ({b, c, d, e, f})*
            {a, c} ({b, c, d, e, f})*
            {a, d} ({b, c, d, e, f})*
        "#]],
        );
        check(
            "a && X X X X X (!a && X a)",
            expect![[r#"
            ({a} {})*
            ({a} {} {})*
            ({a} {a} {})*
            ({a} {} {a} {a})*
        "#]],
        );
        check(
            "[] (a && !b && !c && !d && !e && !f && !g && !h && !i && !j && !k && !l && !m && !n && !o && !p)",
            expect![[r#"
            ({a})*
        "#]],
        );
    }
}
