//! Labels with a meaning for cycles.

use super::dice::Dice;
use super::tree::*;
use super::walk::{Visitor, walk};

/// Turns the labels `progress…` and `accept…` of a model into ordinary ones.
pub fn rename_special_labels(model: &mut Model) {
    walk(model, &mut Rename);
}

struct Rename;

impl Visitor for Rename {
    fn statement(&mut self, stmt: &mut Stmt) {
        if let Stmt::Labelled(label, _) = stmt {
            for special in ["progress", "accept"] {
                if let Some(number) = label.strip_prefix(special) {
                    *label = format!("mark{number}");
                }
            }
        }
    }
}

/// Puts labels that begin with `prefix` on some of the statements of loops, at least one if there is any loop. Nothing
/// in atomic sequences and d_steps is labelled: pan looks at the labels there, but the states between are not stored, and
/// what it finds depends on the order of its search.
pub fn mark_loops(model: &mut Model, dice: &mut Dice, prefix: &str) {
    // One label in a loop of many leaves cycles without it; many labels leave few.
    let percent = dice.pick(&[10, 25, 50]);
    let candidates = count(model);
    let chosen = (0..candidates).filter(|_| dice.chance(percent)).collect();
    let chosen = if candidates > 0 && Vec::is_empty(&chosen) { vec![dice.index(candidates)] } else { chosen };
    Marking { prefix, chosen: &chosen, next: 0 }.model(model);
}

fn count(model: &mut Model) -> usize {
    let mut marking = Marking { prefix: "", chosen: &[], next: 0 };
    marking.model(model);
    marking.next
}

struct Marking<'a> {
    prefix: &'a str,
    /// Numbers of the statements to label, in ascending order.
    chosen: &'a [usize],
    /// The number of the next statement.
    next: usize,
}

impl Marking<'_> {
    fn model(&mut self, model: &mut Model) {
        // A body with gotos may be a loop as a whole.
        model.proctypes.iter_mut().for_each(|proctype| {
            let has_gotos = has_goto(&mut proctype.body);
            proctype.body.iter_mut().for_each(|stmt| self.statement(stmt, has_gotos, true));
        });
    }

    /// Spin wants no label at the beginning of an option or a block.
    fn body(&mut self, body: &mut [Stmt], is_repeated: bool) {
        let numbered = body.iter_mut().enumerate();
        numbered.for_each(|(number, stmt)| self.statement(stmt, is_repeated, number > 0));
    }

    fn statement(&mut self, stmt: &mut Stmt, is_repeated: bool, may_label: bool) {
        match stmt {
            Stmt::Do(options) => options.iter_mut().for_each(|option| self.body(option, true)),
            Stmt::If(options) => options.iter_mut().for_each(|option| self.body(option, is_repeated)),
            Stmt::For { body, .. } | Stmt::ForIn { body, .. } => self.body(body, true),
            Stmt::Block(body) => self.body(body, is_repeated),
            Stmt::Unless(main, escape) => {
                self.body(main, is_repeated);
                self.body(escape, is_repeated);
            }
            Stmt::Labelled(_, inner) => return self.statement(inner, is_repeated, may_label),
            _ => {}
        }
        // A label belongs to a statement; a declaration, an else or a jump is none.
        let unfit =
            matches!(stmt, Stmt::Declare(_) | Stmt::Else | Stmt::Break | Stmt::Goto(_) | Stmt::DStep(_));
        if is_repeated && may_label && !unfit {
            if self.chosen.contains(&self.next) {
                let inner = std::mem::replace(stmt, Stmt::Skip);
                *stmt = Stmt::Labelled(format!("{}{}", self.prefix, self.next), Box::new(inner));
            }
            self.next += 1;
        }
    }
}

fn has_goto(body: &mut Vec<Stmt>) -> bool {
    struct Gotos(bool);
    impl Visitor for Gotos {
        fn statement(&mut self, stmt: &mut Stmt) {
            self.0 |= matches!(stmt, Stmt::Goto(_));
        }
    }
    let mut gotos = Gotos(false);
    super::walk::walk_body(body, &mut gotos);
    gotos.0
}
