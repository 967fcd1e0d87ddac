//! Random never claims, of the kind that people write.

use super::dice::Dice;
use super::formulas::{Propositions, atom};
use super::tree::*;

/// A claim of a few labelled loops and choices, some of them accepting. Where control leaves the last one the claim
/// ends, which is a violation.
pub fn never_claim(dice: &mut Dice, propositions: &Propositions) -> Never {
    let labels: Vec<_> = (0..dice.between(2..=4))
        .map(|number| format!("{}{number}", dice.weighted(&[(60, "S"), (40, "accept_S")])))
        .collect();
    let mut maker = Maker { dice, propositions, labels: &labels };
    let mut body: Vec<_> = labels.iter().map(|label| maker.state(label)).collect();
    if maker.dice.chance(70) {
        // Otherwise too many claims are violated by their end.
        let last = maker.last_state();
        body.push(last);
    }
    Never { name: "p0".into(), body }
}

struct Maker<'a> {
    dice: &'a mut Dice,
    propositions: &'a Propositions,
    labels: &'a [String],
}

impl Maker<'_> {
    /// A labelled statement.
    fn state(&mut self, label: &str) -> Stmt {
        let is_loop = self.dice.chance(65);
        let stmt = match self.dice.between(0..=19) {
            0 => Stmt::Skip,
            1 => Stmt::Guard(self.condition()),
            _ => {
                let mut options: Vec<_> =
                    (0..self.dice.between(1..=3)).map(|_| self.option(is_loop)).collect();
                if is_loop && self.dice.chance(40) {
                    options.push(vec![self.always()]);
                } else if self.dice.chance(15) {
                    let mut option = vec![Stmt::Else];
                    option.extend(self.exit(is_loop));
                    options.push(option);
                }
                if is_loop { Stmt::Do(options) } else { Stmt::If(options) }
            }
        };
        Stmt::Labelled(label.to_owned(), Box::new(stmt))
    }

    /// A condition and what follows if it is true.
    fn option(&mut self, is_loop: bool) -> Vec<Stmt> {
        let mut option =
            vec![if self.dice.chance(12) { self.always() } else { Stmt::Guard(self.condition()) }];
        if self.dice.chance(12) {
            option.push(if self.dice.chance(50) { Stmt::Skip } else { Stmt::Guard(self.condition()) });
        }
        if self.dice.chance(65) {
            option.extend(self.exit(is_loop));
        }
        option
    }

    fn exit(&mut self, is_loop: bool) -> Option<Stmt> {
        match self.dice.between(0..=9) {
            0..=2 if is_loop => Some(Stmt::Break),
            0..=8 => Some(Stmt::Goto(self.dice.pick(self.labels))),
            _ => None,
        }
    }

    fn last_state(&mut self) -> Stmt {
        let label = self.dice.pick(&["last", "accept_last"]);
        let condition = Stmt::Guard(self.condition());
        Stmt::Labelled(label.into(), Box::new(Stmt::Do(vec![vec![condition]])))
    }

    fn always(&mut self) -> Stmt {
        if self.dice.chance(50) { Stmt::Skip } else { Stmt::Guard(Expr::Const(1)) }
    }

    fn condition(&mut self) -> Expr {
        let first = atom(self.dice, self.propositions);
        match self.dice.between(0..=9) {
            0 | 1 => Expr::binary(BinaryOp::And, first, atom(self.dice, self.propositions)),
            2 => Expr::binary(BinaryOp::Or, first, atom(self.dice, self.propositions)),
            3 => first.negated(),
            4 => self.propositions.query(self.dice).unwrap_or(first),
            _ => first,
        }
    }
}
