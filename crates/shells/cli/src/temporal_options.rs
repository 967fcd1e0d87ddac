//! Options about properties of runs that go on for ever.

use std::path::{Path, PathBuf};

use allways_workbench::{Algorithm, Demand, FairRuns, FairTo, Fairness, GivenAutomaton, Model};
use clap::{Args, ValueEnum};

use crate::exit::Failure;
use crate::reading;

#[derive(Args)]
#[command(next_help_heading = "Temporal properties")]
pub struct TemporalOptions {
    /// Check this formula too: `[]` always, `<>` eventually, `U` until, `W` weak until, `V` release, `X` next, `!`, `&&`, `||`,
    /// `->`, `<->`, and conditions of the model such as `x == 2` or `P[1]@label`; `G` and `F`, words and Unicode signs are understood,
    /// too; its name is `ltl_option`; can be repeated
    #[arg(long = "ltl", value_name = "FORMULA")]
    pub formulas: Vec<String>,
    /// No run may be accepted by the automaton in this file, in the HOA format, with any acceptance condition; its propositions
    /// are conditions of the model; the property is called `forbid_option`; can be repeated
    #[arg(long, value_name = "FILE")]
    pub forbid: Vec<PathBuf>,
    /// Each run has to be accepted by the automaton in this file, which has to be deterministic; the property is called
    /// `require_option`; can be repeated
    #[arg(long, value_name = "FILE")]
    pub require: Vec<PathBuf>,
    /// Which runs count: `weak`: a process that can always move from some moment on does; `strong`: a process that can
    /// move again and again does; `none`: all runs
    #[arg(long, value_name = "FAIRNESS", default_value = "none")]
    pub fair: Fair,
    /// Only these have to be treated fairly: processes of a proctype (`P`), one of them (`P[2]`, by its pid), or either
    /// while it is at a label (`P@waiting`); several are separated by commas, or the option repeated
    #[arg(long, value_name = "WHOM", value_delimiter = ',')]
    pub fair_to: Vec<String>,
    /// How cycles are searched for; with fairness and for conditions other than (generalized) Büchi always by components, in the exact store; in a store
    /// that forgets otherwise always by nested searches
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub cycles: Cycles,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fair {
    None,
    Weak,
    Strong,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cycles {
    /// As the property needs it
    Auto,
    /// By two nested searches: little memory
    Nested,
    /// By strongly connected components
    Components,
}

impl TemporalOptions {
    /// The automata with names.
    pub fn automata(&self) -> Result<Vec<GivenAutomaton>, Failure> {
        let names = self.automata_names();
        let files = self.forbid.iter().map(|path| (Demand::Forbid, path));
        let files = files.chain(self.require.iter().map(|path| (Demand::Require, path)));
        let read = |((demand, path), name): ((Demand, &PathBuf), String)| {
            let text = reading::read_file(path).map_err(|error| {
                Failure::model(format!("cannot read the automaton {}: {error}", path.display()))
            })?;
            Ok(GivenAutomaton { name, demand, text })
        };
        files.zip(names).map(read).collect()
    }

    /// The files that are read.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.forbid.iter().chain(&self.require).map(PathBuf::as_path)
    }

    pub fn automata_names(&self) -> Vec<String> {
        let names = |word: &str, n: usize| -> Vec<String> {
            let name = |number| if n == 1 { word.to_string() } else { format!("{word}_{number}") };
            (1..=n).map(name).collect()
        };
        let forbidden = names("forbid_option", self.forbid.len());
        forbidden.into_iter().chain(names("require_option", self.require.len())).collect()
    }

    /// Which runs count.
    pub fn fair_runs(&self, model: &Model) -> Result<FairRuns, Failure> {
        if self.fair_to.is_empty() {
            return Ok(Fairness::from(self.fair).into());
        }
        if self.fair == Fair::None {
            let failure =
                Failure::usage("--fair-to says to whom, but not in what sense runs have to be fair");
            return Err(failure.help("add --fair weak or --fair strong"));
        }
        let only = FairTo::new(&model.system, &self.fair_to);
        let only = only.map_err(|why| Failure::usage(format!("--fair-to: {why}")))?;
        Ok(FairRuns { fairness: self.fair.into(), only: Some(only) })
    }

    /// The formulas with names.
    pub fn named(&self) -> Vec<(String, String)> {
        let name = |number: usize| match self.formulas.len() {
            1 => "ltl_option".to_string(),
            _ => format!("ltl_option_{}", number + 1),
        };
        self.formulas.iter().enumerate().map(|(number, text)| (name(number), text.clone())).collect()
    }
}

/// The formulas as Promela writes them, if they are written as elsewhere: `G (a => F b)`, `□(a → ◇b)`. None if there are none
/// of that kind.
pub fn in_other_notations(formulas: &[(String, String)]) -> Option<Vec<(String, String)>> {
    let rewritten = |text: &str| {
        let parsed = allways_ltl::parse(text).ok()?;
        Some(parsed.formula.display(&parsed.propositions).to_string())
    };
    let all: Option<Vec<(String, String)>> =
        formulas.iter().map(|(name, text)| Some((name.clone(), rewritten(text)?))).collect();
    all.filter(|all| all != formulas)
}

impl From<Fair> for Fairness {
    fn from(fair: Fair) -> Fairness {
        match fair {
            Fair::None => Fairness::None,
            Fair::Weak => Fairness::Weak,
            Fair::Strong => Fairness::Strong,
        }
    }
}

impl From<Cycles> for Algorithm {
    fn from(cycles: Cycles) -> Algorithm {
        match cycles {
            Cycles::Auto => Algorithm::Auto,
            Cycles::Nested => Algorithm::Nested,
            Cycles::Components => Algorithm::Components,
        }
    }
}
