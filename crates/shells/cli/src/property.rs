//! `allways property`: what a formula says, as words, automata and pictures; and formulas from templates.

use std::path::{Path, PathBuf};

use allways_ltl::hoa::{self, HoaAutomaton};
use allways_ltl::templates::{self, Contradiction, Demand, Operands, Pattern, Release, Requirement, Scope};
use allways_ltl::{
    Automaton, AutomatonFacts, Formula, Parsed, TooLarge, TranslateOptions, Translation, dot, formula_facts,
    hoa_facts, never, translate_to_any,
};
use allways_report::graph;
use allways_report::property::{self, FormulaReport, Template};
use clap::{Args, ValueEnum};

use crate::exit::{Ending, Failure};
use crate::output::{self, Output};
use crate::reading;

/// Say what a formula means, or make one from a template
///
/// Shows a formula of linear temporal logic in words, with its class, the size of its automata, and runs that satisfy
/// or violate it. A formula can also be made from a pattern (--pattern) or a requirement (--after, --always and so on).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct PropertyArguments {
    /// The formula: `[]` always, `<>` eventually, `U` until, `W` weak until, `V` release, `X` next, `!`, `&&`, `||`,
    /// `->`, `<->`; with --pattern what its letters stand for, as LETTER=FORMULA
    #[arg(value_name = "FORMULA")]
    texts: Vec<String>,
    /// What to write: a report, the automaton in some form, or everything for programs
    #[arg(long = "as", value_name = "WHAT", default_value = "report")]
    form: Form,
    /// Take the negation instead. Its automaton accepts the runs that violate the formula: it is what a checker
    /// searches for. Without this option the automaton is that of the formula as it is written, as with `spin -f`
    #[arg(long)]
    negated: bool,
    /// Read an automaton in the HOA format instead of a formula; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["texts", "pattern", "always", "eventually", "never", "after", "negated"])]
    hoa: Option<PathBuf>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    pattern: PatternOptions,
    #[command(flatten)]
    requirement: RequirementOptions,
}

#[derive(Args)]
#[command(next_help_heading = "Patterns")]
struct PatternOptions {
    /// List the patterns and scopes
    #[arg(long, exclusive = true)]
    list: bool,
    /// Make the formula from this pattern; letters that are not given stand for themselves
    #[arg(long, value_name = "PATTERN", conflicts_with_all = ["always", "eventually", "never"])]
    pattern: Option<PatternName>,
    /// In which part of a run: from the state with Q on, and up to before the state with R
    #[arg(long, value_name = "SCOPE", default_value = "global", requires = "pattern")]
    scope: ScopeName,
    /// How often P may begin to hold, for bounded-existence
    #[arg(long, value_name = "N", default_value_t = 2, requires = "pattern", value_parser = clap::value_parser!(u32).range(0..=20))]
    at_most: u32,
}

#[derive(Args)]
#[command(next_help_heading = "Requirements")]
struct RequirementOptions {
    /// What opens the obligation, each time, beginning with that very state; without it, it is open at the start, once
    #[arg(long, value_name = "E")]
    after: Option<String>,
    /// F has to hold all the time
    #[arg(long, value_name = "F", group = "demand", conflicts_with = "texts")]
    always: Option<String>,
    /// F has to hold at some moment
    #[arg(long, value_name = "F", group = "demand", conflicts_with = "texts")]
    eventually: Option<String>,
    /// F must not hold
    #[arg(long, value_name = "F", group = "demand", conflicts_with = "texts")]
    never: Option<String>,
    /// What closes the obligation, if it comes at all; it cancels an `eventually`
    #[arg(long, value_name = "D", group = "release", requires = "demand")]
    unless: Option<String>,
    /// What closes the obligation and has to come; for --always and --never
    #[arg(long, value_name = "D", group = "release", requires = "demand")]
    until: Option<String>,
    /// What must not come before F; for --eventually
    #[arg(long, value_name = "D", group = "release", requires = "demand")]
    before: Option<String>,
    /// The obligation begins in the state after the one with E (default: in the same state)
    #[arg(long, requires = "demand")]
    strictly_after: bool,
    /// Only the first E opens the obligation (default: each)
    #[arg(long, requires = "demand")]
    first_only: bool,
    /// Whether the state with D still belongs to the obligation (default: excluded for --always and --never, which need
    /// not hold there any more; included for --eventually, so that F and D may come together)
    #[arg(long, value_name = "WHETHER", requires = "release")]
    release_state: Option<ReleaseState>,
}

const EXAMPLES: &str = "\
Examples:
  allways property '[] (p -> <> q)'                                  what does it say?
  allways property '[] (p -> <> q)' --negated --as never             the claim that a checker uses
  allways property 'p U (q && X r)' --as svg -o formula.svg          a picture of the automaton
  allways property --list                                            patterns and scopes
  allways property --pattern response --scope between P=sent S=received Q=open R=closed
  allways property --after 'x == 1' --never stop --unless reset
  allways property --hoa automaton.hoa --as never                    from another tool

A pattern or requirement is printed as a formula that can stand in a model: ltl name { … }.";

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// For people
    Report,
    /// A never claim: a state-based Büchi automaton as Promela
    Never,
    /// The Hanoi omega-automata format, with acceptance on edges
    Hoa,
    /// Input for Graphviz
    Dot,
    /// A picture
    Svg,
    /// One object, schema allways/property/1
    Json,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum PatternName {
    Absence,
    Existence,
    BoundedExistence,
    Universality,
    Precedence,
    Response,
    #[value(name = "precedence-chain-2-1")]
    PrecedenceChain21,
    #[value(name = "precedence-chain-1-2")]
    PrecedenceChain12,
    #[value(name = "response-chain-2-1")]
    ResponseChain21,
    #[value(name = "response-chain-1-2")]
    ResponseChain12,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum ScopeName {
    Global,
    Before,
    After,
    Between,
    AfterUntil,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum ReleaseState {
    Included,
    Excluded,
}

pub fn run(arguments: &PropertyArguments) -> Result<Ending, Failure> {
    let text = match &arguments.hoa {
        _ if arguments.pattern.list => list(),
        Some(path) => of_automaton(arguments, path)?,
        None => {
            let understood = understood(arguments)?;
            of_formula(arguments.form, &if arguments.negated { understood.negated() } else { understood })?
        }
    };
    let mut output = Output::open(arguments.output.as_deref())?;
    output.text(&text)?;
    output.flushed()?;
    Ok(Ending::Expected)
}

/// What the command line asks about.
struct Understood {
    formula: Formula,
    propositions: Vec<String>,
    notes: Vec<String>,
    template: Option<Template>,
}

impl Understood {
    fn negated(self) -> Understood {
        // What a template says about itself is about the formula as it was.
        let template =
            self.template.map(|t| Template { name: format!("{}, negated", t.name), words: None, ..t });
        Understood { formula: self.formula.negated(), template, ..self }
    }
}

fn understood(arguments: &PropertyArguments) -> Result<Understood, Failure> {
    let requirement = &arguments.requirement;
    if let Some(pattern) = arguments.pattern.pattern {
        return from_pattern(arguments, pattern);
    }
    if requirement.always.is_some() || requirement.eventually.is_some() || requirement.never.is_some() {
        return from_requirement(requirement);
    }
    if requirement.after.is_some() {
        let failure = Failure::usage("--after says when, but not what");
        return Err(failure.help("add --always F, --eventually F or --never F"));
    }
    let [text] = &arguments.texts[..] else {
        let failure = match arguments.texts.is_empty() {
            true => Failure::usage("a formula is missing"),
            false => Failure::usage("there is more than one formula"),
        };
        return Err(failure.help("e.g. allways property '[] (p -> <> q)'; mind the quotation marks"));
    };
    let mut reader = FormulaReader::default();
    let formula = reader.formula(text, "the formula")?;
    Ok(reader.done(formula, None))
}

/// Reads formulas over the same propositions.
#[derive(Default)]
struct FormulaReader {
    operands: Operands,
    notes: Vec<String>,
}

impl FormulaReader {
    fn formula(&mut self, text: &str, what: &str) -> Result<Formula, Failure> {
        let parsed: Parsed = allways_ltl::parse(text).map_err(|error| {
            let excerpt = property::excerpt(text, &error.position);
            let failure = Failure::usage(format!("{what} cannot be read: {}\n{excerpt}", error.message));
            match error.help {
                Some(help) => failure.help(help),
                None => failure,
            }
        })?;
        self.notes.extend(parsed.lints.iter().map(|lint| property::note(text, lint)));
        Ok(self.operands.adopt(&parsed))
    }

    fn done(self, formula: Formula, template: Option<Template>) -> Understood {
        Understood { formula, propositions: self.operands.propositions, notes: self.notes, template }
    }
}

fn from_pattern(arguments: &PropertyArguments, pattern: PatternName) -> Result<Understood, Failure> {
    let pattern = match pattern {
        PatternName::BoundedExistence => Pattern::BoundedExistence(arguments.pattern.at_most),
        other => Pattern::ALL[other as usize],
    };
    let scope = Scope::ALL[arguments.pattern.scope as usize];
    let letters: Vec<char> = scope.letters().iter().chain(pattern.letters()).copied().collect();
    let mut reader = FormulaReader::default();
    let mut given: Vec<(char, Formula)> = Vec::new();
    for text in &arguments.texts {
        let (letter, formula) = operand(text, &letters)?;
        if given.iter().any(|(have, _)| *have == letter) {
            return Err(Failure::usage(format!("{letter} is given twice")));
        }
        let formula = reader.formula(formula, &format!("the formula for {letter}"))?;
        given.push((letter, formula));
    }
    // Letters that are not given stand for themselves.
    for letter in letters {
        if !given.iter().any(|(have, _)| *have == letter) {
            let formula = reader.formula(&letter.to_lowercase().to_string(), "a letter")?;
            given.push((letter, formula));
        }
    }
    let find = |letter: char| given.iter().find(|(have, _)| *have == letter).map(|(_, formula)| formula);
    let formula = templates::pattern(pattern, scope, |letter| find(letter).cloned().unwrap_or(Formula::True));
    let names = &reader.operands.propositions;
    let words = templates::pattern_in_words(pattern, scope, |letter| match find(letter) {
        Some(Formula::Proposition(p)) if !names[*p as usize].contains(' ') => names[*p as usize].clone(),
        Some(Formula::Proposition(p)) => format!("`{}`", names[*p as usize]),
        Some(formula) => format!("`{}`", formula.display(names)),
        None => letter.to_string(),
    });
    let name = format!("pattern {}, scope {}", pattern.name(), scope.name());
    Ok(reader.done(formula, Some(Template { name, words: Some(words), choices: Vec::new() })))
}

/// `P=x == 1` is the letter P and the formula `x == 1`.
fn operand<'a>(text: &'a str, letters: &[char]) -> Result<(char, &'a str), Failure> {
    let known: Vec<String> = letters.iter().map(char::to_string).collect();
    let help = format!("this pattern and scope have {}; write e.g. {}='x == 1'", known.join(", "), known[0]);
    let Some((letter, formula)) = text.split_once('=') else {
        return Err(Failure::usage(format!("`{text}` does not say which letter it is for")).help(help));
    };
    match letters.iter().find(|have| letter.trim().eq_ignore_ascii_case(&have.to_string())) {
        Some(letter) => Ok((*letter, formula)),
        None => Err(Failure::usage(format!("there is no letter `{}` here", letter.trim())).help(help)),
    }
}

fn from_requirement(options: &RequirementOptions) -> Result<Understood, Failure> {
    let mut reader = FormulaReader::default();
    let mut read = |text: &Option<String>, option: &str| match text {
        Some(text) => reader.formula(text, &format!("the formula of {option}")).map(Some),
        None => Ok(None),
    };
    let after = read(&options.after, "--after")?;
    let demands = [
        (Demand::Always, read(&options.always, "--always")?),
        (Demand::Eventually, read(&options.eventually, "--eventually")?),
        (Demand::Never, read(&options.never, "--never")?),
    ];
    let releases = [
        (Release::Unless, read(&options.unless, "--unless")?),
        (Release::Until, read(&options.until, "--until")?),
        (Release::Before, read(&options.before, "--before")?),
    ];
    let demand = demands.into_iter().find_map(|(demand, formula)| Some((demand, formula?)));
    let (demand, what) = demand.expect("asked for by the caller");
    let requirement = Requirement {
        after,
        demand,
        what,
        release: releases.into_iter().find_map(|(release, formula)| Some((release, formula?))),
        release_state: options.release_state.map(|state| state == ReleaseState::Included),
        strictly_after: options.strictly_after,
        first_only: options.first_only,
    };
    let formula = requirement.formula().map_err(contradiction)?;
    let template = Template { name: "a requirement".into(), words: None, choices: requirement.choices() };
    Ok(reader.done(formula, Some(template)))
}

fn contradiction(error: Contradiction) -> Failure {
    Failure::usage(error.to_string()).help(match error {
        Contradiction::EventuallyUntil => {
            "--before D: F has to come, and D not before it; --unless D: D cancels the obligation"
        }
        Contradiction::AlwaysBefore => "--unless D, or --until D if D has to come",
        Contradiction::NoReleaseState => "leave out --release-state",
        Contradiction::NoBeginning => "--strictly-after and --first-only belong to --after E",
    })
}

fn of_formula(form: Form, understood: &Understood) -> Result<String, Failure> {
    let Understood { formula, propositions, notes, template } = understood;
    if form == Form::Hoa {
        let text = hoa_of_formula(formula, propositions)?;
        notes.iter().for_each(|note| output::message(&format!("note: {note}")));
        return Ok(text);
    }
    let facts = formula_facts(formula, propositions);
    let report = FormulaReport { formula, propositions, facts: &facts, notes, template: template.as_ref() };
    let title = formula.display(propositions).to_string();
    let text = match form {
        Form::Report => return Ok(property::formula_text(&report)),
        Form::Json => return Ok(allways_report::to_json(&property::formula_document(&report)) + "\n"),
        form => {
            let side = facts.positive.as_ref().map_err(|error| too_large(formula, error))?;
            automaton_text(form, side, &side.buchi, propositions, &title)
        }
    };
    notes.iter().for_each(|note| output::message(&format!("note: {note}")));
    Ok(text)
}

/// With the acceptance condition that needs fewest states.
fn hoa_of_formula(formula: &Formula, propositions: &[String]) -> Result<String, Failure> {
    let title = formula.display(propositions).to_string();
    let failure = |error: TooLarge| too_large(formula, &error);
    Ok(match translate_to_any(formula, &TranslateOptions::default()).map_err(failure)? {
        Translation::Buchi(automaton) => hoa::write(&automaton, propositions, &title),
        Translation::EmersonLei(automaton) => {
            hoa::write_any(&automaton.to_hoa(propositions).map_err(failure)?, &title)
        }
    })
}

/// What to do if the automaton of a formula is too large: `check` searches for the negation.
fn too_large(formula: &Formula, error: &TooLarge) -> Failure {
    let failure = Failure::usage(error.to_string());
    let n_states = match translate_to_any(&formula.negated(), &TranslateOptions::default()) {
        Ok(Translation::Buchi(automaton)) => automaton.states.len(),
        Ok(Translation::EmersonLei(automaton)) => automaton.states.len(),
        Err(_) => {
            return failure.help("split the formula: what is to hold together can be checked one by one");
        }
    };
    let states = if n_states == 1 { "state" } else { "states" };
    failure.help(format!(
        "`check` can check the formula: it needs the automaton of its negation only, which has {n_states} \
         {states} (--negated --as hoa)"
    ))
}

fn of_automaton(arguments: &PropertyArguments, path: &Path) -> Result<String, Failure> {
    output::protect(path, &[arguments.output.as_deref()])?;
    let name = if path == Path::new("-") { "standard input".into() } else { path.display().to_string() };
    let unreadable = |error: std::io::Error| Failure::model(format!("cannot read {name}: {error}"));
    let text = if path == Path::new("-") {
        reading::standard_input().map_err(unreadable)?
    } else {
        reading::read_file(path).map_err(unreadable)?
    };
    let read: HoaAutomaton = hoa::parse(&text).map_err(|error| Failure::model(format!("{name}: {error}")))?;
    let facts = hoa_facts(&read).map_err(|error| {
        Failure::model(format!("{name}: {error}")).help("Büchi and generalized Büchi conditions are")
    })?;
    Ok(match arguments.form {
        Form::Report => property::automaton_text(&read, &facts),
        Form::Json => allways_report::to_json(&property::automaton_document(&read, &facts)) + "\n",
        form => {
            let title = read.name.clone().unwrap_or_else(|| name.clone());
            automaton_text(form, &facts, &facts.generalized, &read.propositions, &title)
        }
    })
}

/// Pictures show `drawn`.
fn automaton_text(
    form: Form,
    facts: &AutomatonFacts,
    drawn: &Automaton,
    names: &[String],
    title: &str,
) -> String {
    match form {
        Form::Never => never::write(&facts.buchi, names, title),
        Form::Dot => dot::write(drawn, names, title),
        Form::Svg => graph::svg(&[graph::observer(drawn, names, title)]),
        _ => hoa::write(&facts.generalized, names, title),
    }
}

fn list() -> String {
    let mut text = String::from("Patterns:\n");
    for pattern in Pattern::ALL {
        text += &format!("  {:<22}{}\n", pattern.name(), pattern.sentence());
    }
    text += "\nScopes:\n";
    for scope in Scope::ALL {
        let sentence = if scope == Scope::Global { "all of a run" } else { scope.sentence() };
        text += &format!("  {:<22}{sentence}\n", scope.name());
    }
    text += "\nThe state with Q belongs to the scope, the state with R does not.\n";
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_library_use_the_same_names() {
        for (name, pattern) in PatternName::value_variants().iter().zip(Pattern::ALL) {
            assert_eq!(name.to_possible_value().unwrap().get_name(), pattern.name());
        }
        for (name, scope) in ScopeName::value_variants().iter().zip(Scope::ALL) {
            assert_eq!(name.to_possible_value().unwrap().get_name(), scope.name());
        }
    }
}
