//! What verdicts may rest on, as far as the exit code is concerned.

use allways_verdict::Assumption;
use clap::Args;

use crate::exit::Ending;

#[derive(Args, Clone, Copy, Debug)]
pub struct AssumptionOptions {
    /// Exit code 3 if everything holds, but only under assumptions, whatever they are
    #[arg(long)]
    no_assumptions: bool,
}

impl AssumptionOptions {
    /// How a command ends whose verdicts rest on these.
    pub fn applied(self, ending: Ending, assumptions: &[Assumption]) -> Ending {
        let counts = |assumption: &Assumption| {
            self.no_assumptions || assumption.kind.hides_violations() && !assumption.asked
        };
        match ending {
            Ending::Expected if assumptions.iter().any(counts) => Ending::Inconclusive,
            ending => ending,
        }
    }
}

#[cfg(test)]
mod tests {
    use allways_verdict::AssumptionKind;

    use super::*;

    fn ending(no_assumptions: bool, kind: AssumptionKind, asked: bool) -> Ending {
        let text = String::new();
        let assumption = Assumption { kind, text, property: None, location: None, asked };
        AssumptionOptions { no_assumptions }.applied(Ending::Expected, &[assumption])
    }

    #[test]
    fn only_what_can_hide_violations_counts_unless_all_do() {
        use AssumptionKind::*;
        for kind in [SequentialConsistency, RandomStream, LateTimeouts] {
            assert_eq!(ending(false, kind, false), Ending::Expected);
            assert_eq!(ending(true, kind, false), Ending::Inconclusive);
        }
        assert_eq!(ending(false, MemoryNotVisible, false), Ending::Inconclusive);
        assert_eq!(ending(false, MemoryNotVisible, true), Ending::Expected);
        assert_eq!(ending(true, MemoryNotVisible, true), Ending::Inconclusive);
        let none = AssumptionOptions { no_assumptions: true };
        assert_eq!(none.applied(Ending::Expected, &[]), Ending::Expected);
    }
}
