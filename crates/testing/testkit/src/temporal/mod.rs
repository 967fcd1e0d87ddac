//! Comparison of temporal verdicts: LTL formulas, never claims, progress and acceptance labels.
//!
//! A `Question` is asked of Spin (`oracle`) and of the checker under test in several ways (`ours`); `judge` says whether
//! the answers are the same, and knows where Spin's is wrong.

pub mod judge;
pub mod oracle;
pub mod ours;

use std::fmt::{self, Display, Formatter};

use crate::generate::Kind;
use crate::generate::tree::Model;

/// What is asked about a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    pub kind: Kind,
    /// The name of the property.
    pub property: String,
    /// Only runs are looked at in which no process that can move for ever waits for ever.
    pub fair: bool,
}

impl Question {
    /// All questions about a generated model.
    pub fn about(model: &Model, kind: Kind, with_fairness: bool) -> Vec<Question> {
        let properties: Vec<String> = match kind {
            Kind::Ltl => model.ltl.iter().map(|ltl| ltl.name.clone()).collect(),
            Kind::Never => model.never.iter().map(|never| never.name.clone()).collect(),
            Kind::Progress => vec!["progress".into()],
            Kind::Acceptance => vec!["acceptance".into()],
        };
        let fairness: &[bool] = if with_fairness { &[false, true] } else { &[false] };
        let each = |property: String| {
            fairness.iter().map(move |fair| Question { kind, property: property.clone(), fair: *fair })
        };
        properties.into_iter().flat_map(each).collect()
    }
}

impl Display for Question {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.property, if self.fair { " under weak fairness" } else { "" })
    }
}
