//! Options about properties of runs that go on for ever.

use allways_workbench::{Algorithm, Fairness};
use clap::{Args, ValueEnum};

#[derive(Args)]
#[command(next_help_heading = "Temporal properties")]
pub struct TemporalOptions {
    /// Check this formula too: `[]` always, `<>` eventually, `U` until, `W` weak until, `V` release, `X` next, `!`, `&&`, `||`,
    /// `->`, `<->`, and conditions of the model such as `x == 2` or `P[1]@label`; its name is `ltl_option`; can be repeated
    #[arg(long = "ltl", value_name = "FORMULA")]
    pub formulas: Vec<String>,
    /// Which runs count: `weak`: a process that can always move from some moment on does; `strong`: a process that can
    /// move again and again does; `none`: all runs
    #[arg(long, value_name = "FAIRNESS", default_value = "none")]
    pub fair: Fair,
    /// How cycles are searched for; with fairness always by components
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
    /// The formulas with names.
    pub fn named(&self) -> Vec<(String, String)> {
        let name = |number: usize| match self.formulas.len() {
            1 => "ltl_option".to_string(),
            _ => format!("ltl_option_{}", number + 1),
        };
        self.formulas.iter().enumerate().map(|(number, text)| (name(number), text.clone())).collect()
    }
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
