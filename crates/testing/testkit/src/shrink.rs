//! Makes a model smaller while something stays true of it.
//!
//! Every pass lists smaller alternatives for the nodes of one kind; the loop tries them in turn, keeps those with which
//! the model is still interesting, and starts over until no pass finds anything. Alternatives need not give a
//! correct model: an incorrect one is not interesting.

use std::collections::HashSet;

use crate::generate::tree::*;
use crate::generate::walk::{Visitor, walk};
use crate::spin::Semantics;

type Body = Vec<Stmt>;

/// A kind of node and what may stand in its place.
#[derive(Clone, Copy)]
enum Pass {
    Models(fn(&Model) -> Vec<Model>),
    Bodies(fn(&[Stmt]) -> Vec<Body>),
    Options(fn(&[Body]) -> Vec<Vec<Body>>),
    Expressions(fn(&Expr) -> Vec<Expr>),
    Patterns(fn(&Pattern) -> Vec<Pattern>),
    Declarations(fn(&Decl) -> Vec<Decl>),
    Formulas(fn(&Formula) -> Vec<Formula>),
}

/// The ones that remove most come first.
const PASSES: &[Pass] = &[
    Pass::Models(without_a_property),
    Pass::Models(without_a_proctype),
    Pass::Bodies(without_statements::<8>),
    Pass::Bodies(without_statements::<3>),
    Pass::Bodies(without_statements::<1>),
    Pass::Options(without_an_option),
    Pass::Bodies(with_simpler_statement),
    Pass::Models(without_a_declaration),
    Pass::Models(without_a_parameter),
    Pass::Models(without_an_attribute),
    Pass::Formulas(simpler_formulas),
    Pass::Expressions(simpler_expressions),
    Pass::Patterns(simpler_patterns),
    Pass::Declarations(simpler_declarations),
];

/// The smallest model found for which `interesting` holds, asked at most `limit` times; it must hold for `model`.
pub fn shrink(model: &Model, limit: usize, mut interesting: impl FnMut(&Model) -> bool) -> Model {
    let mut best = model.clone();
    let mut tried = HashSet::from([identity(&best)]);
    loop {
        let before = identity(&best);
        for pass in PASSES {
            let mut number = 0;
            while let Some(candidate) = pass.alternative(&best, number) {
                if tried.len() > limit {
                    return best;
                }
                if tried.insert(identity(&candidate)) && interesting(&candidate) {
                    // The next alternative has this number now.
                    best = candidate;
                } else {
                    number += 1;
                }
            }
        }
        if identity(&best) == before {
            return best;
        }
    }
}

fn identity(model: &Model) -> String {
    format!("{:?}\n{model}", model.semantics)
}

impl Pass {
    /// The model with the alternative of that number in its place, if there are so many.
    fn alternative(self, model: &Model, number: usize) -> Option<Model> {
        if let Pass::Models(alternatives) = self {
            return alternatives(model).into_iter().nth(number);
        }
        let mut model = model.clone();
        let mut replacement = Replacement { pass: self, number: Some(number) };
        walk(&mut model, &mut replacement);
        replacement.number.is_none().then_some(model)
    }
}

struct Replacement {
    pass: Pass,
    /// How many alternatives to skip; `None` once the replacement is made.
    number: Option<usize>,
}

impl Replacement {
    fn at<T>(&mut self, node: &mut T, alternatives: impl FnOnce(&T) -> Vec<T>) {
        let Some(number) = self.number else { return };
        let mut alternatives = alternatives(node);
        if number < alternatives.len() {
            *node = alternatives.swap_remove(number);
            self.number = None;
        } else {
            self.number = Some(number - alternatives.len());
        }
    }
}

impl Visitor for Replacement {
    fn body(&mut self, body: &mut Body) {
        if let Pass::Bodies(alternatives) = self.pass {
            self.at(body, |body| alternatives(body));
        }
    }

    fn options(&mut self, options: &mut Vec<Body>) {
        if let Pass::Options(alternatives) = self.pass {
            self.at(options, |options| alternatives(options));
        }
    }

    fn expression(&mut self, expr: &mut Expr) {
        if let Pass::Expressions(alternatives) = self.pass {
            self.at(expr, alternatives);
        }
    }

    fn pattern(&mut self, pattern: &mut Pattern) {
        if let Pass::Patterns(alternatives) = self.pass {
            self.at(pattern, alternatives);
        }
    }

    fn declaration(&mut self, decl: &mut Decl) {
        if let Pass::Declarations(alternatives) = self.pass {
            self.at(decl, alternatives);
        }
    }

    fn formula(&mut self, formula: &mut Formula) {
        if let Pass::Formulas(alternatives) = self.pass {
            self.at(formula, alternatives);
        }
    }
}

/// `count` copies of the model, each edited under its own number.
fn edited(model: &Model, count: usize, edit: impl Fn(&mut Model, usize)) -> Vec<Model> {
    let one = |number| {
        let mut model = model.clone();
        edit(&mut model, number);
        model
    };
    (0..count).map(one).collect()
}

fn without_a_property(model: &Model) -> Vec<Model> {
    let mut models = edited(model, model.ltl.len(), |model, i| drop(model.ltl.remove(i)));
    if model.never.is_some() {
        models.push(Model { never: None, ..model.clone() });
    }
    models
}

fn without_a_proctype(model: &Model) -> Vec<Model> {
    edited(model, model.proctypes.len(), |model, number| {
        let name = model.proctypes.remove(number).name;
        walk(model, &mut DropRuns { name });
    })
}

struct DropRuns {
    name: String,
}

impl Visitor for DropRuns {
    fn body(&mut self, body: &mut Body) {
        body.retain(|stmt| !matches!(stmt, Stmt::Run { proctype, .. } if *proctype == self.name));
    }
}

/// Without `N` neighbouring statements. An empty body prints as `skip`, so a lone skip stays.
fn without_statements<const N: usize>(body: &[Stmt]) -> Vec<Body> {
    if matches!(body, [Stmt::Skip]) {
        return vec![];
    }
    let starts = 0..(body.len() + 1).saturating_sub(N);
    starts.map(|start| [&body[..start], &body[start + N..]].concat()).collect()
}

fn without_an_option(options: &[Body]) -> Vec<Vec<Body>> {
    let without = |number: usize| {
        let mut options = options.to_vec();
        options.remove(number);
        options
    };
    (0..options.len()).map(without).collect()
}

fn with_simpler_statement(body: &[Stmt]) -> Vec<Body> {
    let mut bodies = vec![];
    for (i, stmt) in body.iter().enumerate() {
        for replacement in simpler_statements(stmt) {
            let mut body = body.to_vec();
            body.splice(i..=i, replacement);
            bodies.push(body);
        }
    }
    bodies
}

/// Sequences that may replace a statement, all of them simpler so that the search ends.
fn simpler_statements(stmt: &Stmt) -> Vec<Body> {
    match stmt {
        Stmt::Labelled(label, inner) => {
            let mut alternatives = vec![vec![(**inner).clone()]];
            for replacement in simpler_statements(inner) {
                let mut replacement = replacement.into_iter();
                let first = replacement.next().unwrap_or(Stmt::Skip);
                let labelled = Stmt::Labelled(label.clone(), Box::new(first));
                alternatives.push(std::iter::once(labelled).chain(replacement).collect());
            }
            alternatives
        }
        Stmt::Atomic(body) | Stmt::DStep(body) | Stmt::Block(body) => vec![body.clone()],
        Stmt::For { body, .. } | Stmt::ForIn { body, .. } => vec![body.clone()],
        Stmt::Unless(main, escape) => vec![main.clone(), escape.clone()],
        Stmt::If(options) | Stmt::Do(options) => options.iter().map(|option| unguarded(option)).collect(),
        Stmt::Send(send) if send.sorted => vec![vec![Stmt::Send(Send { sorted: false, ..send.clone() })]],
        Stmt::Send(send) if send.tagged => vec![vec![Stmt::Send(Send { tagged: false, ..send.clone() })]],
        Stmt::Receive(receive) if receive.random => {
            vec![vec![Stmt::Receive(Receive { random: false, ..receive.clone() })]]
        }
        Stmt::Receive(receive) if receive.copy => {
            vec![vec![Stmt::Receive(Receive { copy: false, ..receive.clone() })]]
        }
        Stmt::Run { proctype, args, priority, pid } if priority.is_some() || pid.is_some() => {
            let (proctype, args) = (proctype.clone(), args.clone());
            vec![vec![Stmt::Run { proctype, args, priority: None, pid: None }]]
        }
        Stmt::Skip | Stmt::Else | Stmt::Break | Stmt::Goto(_) | Stmt::Declare(_) => vec![],
        _ => vec![vec![Stmt::Skip]],
    }
}

/// An option as a sequence of its own: without the `else` and the `break` that belong to the choice.
fn unguarded(option: &[Stmt]) -> Body {
    let kept = option.iter().filter(|stmt| !matches!(stmt, Stmt::Else | Stmt::Break));
    kept.cloned().collect()
}

fn without_a_declaration(model: &Model) -> Vec<Model> {
    let mut models = edited(model, model.globals.len(), |model, i| drop(model.globals.remove(i)));
    models.extend(edited(model, model.typedefs.len(), |model, i| drop(model.typedefs.remove(i))));
    models.extend(edited(model, model.inlines.len(), |model, i| drop(model.inlines.remove(i))));
    for (number, proctype) in model.proctypes.iter().enumerate() {
        let count = proctype.locals.len();
        models.extend(edited(model, count, |model, i| drop(model.proctypes[number].locals.remove(i))));
    }
    for (number, typedef) in model.typedefs.iter().enumerate() {
        let count = typedef.fields.len();
        models.extend(edited(model, count, |model, i| drop(model.typedefs[number].fields.remove(i))));
    }
    if !model.mtypes.is_empty() {
        models.push(Model { mtypes: vec![], ..model.clone() });
    }
    models
}

fn without_a_parameter(model: &Model) -> Vec<Model> {
    let mut models = vec![];
    for (number, proctype) in model.proctypes.iter().enumerate() {
        models.extend(edited(model, proctype.params.len(), |model, position| {
            let proctype = &mut model.proctypes[number];
            proctype.params.remove(position);
            let name = proctype.name.clone();
            walk(model, &mut DropArgument { name, position });
        }));
    }
    for (number, inline) in model.inlines.iter().enumerate() {
        models.extend(edited(model, inline.formals.len(), |model, position| {
            let inline = &mut model.inlines[number];
            inline.formals.remove(position);
            let name = inline.name.clone();
            walk(model, &mut DropArgument { name, position });
        }));
    }
    models
}

struct DropArgument {
    name: String,
    position: usize,
}

impl Visitor for DropArgument {
    fn statement(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Run { proctype: name, args, .. } | Stmt::Call { inline: name, args }
                if *name == self.name =>
            {
                args.remove(self.position);
            }
            _ => {}
        }
    }
}

fn without_an_attribute(model: &Model) -> Vec<Model> {
    let mut models = vec![
        Model { semantics: Semantics { lossy: false, ..model.semantics }, ..model.clone() },
        Model { semantics: Semantics { strict_end: false, ..model.semantics }, ..model.clone() },
        Model { semantics: Semantics { innermost_unless: false, ..model.semantics }, ..model.clone() },
    ];
    let count = model.proctypes.len();
    models.extend(edited(model, count, |model, i| model.proctypes[i].provided = None));
    models.extend(edited(model, count, |model, i| model.proctypes[i].priority = None));
    models.extend(edited(model, count, |model, i| model.proctypes[i].deterministic = false));
    models.extend(edited(model, count, |model, i| {
        let kind = &mut model.proctypes[i].kind;
        if let ProctypeKind::Active(n @ 2..) = kind {
            *n -= 1;
        }
    }));
    models
}

fn simpler_expressions(expr: &Expr) -> Vec<Expr> {
    let children: Vec<&Expr> = match expr {
        Expr::Const(0) => return vec![],
        Expr::Const(1) => return vec![Expr::Const(0)],
        Expr::Unary(_, value) | Expr::Divide { value, .. } => vec![value],
        Expr::Binary(_, left, right) => vec![left, right],
        Expr::Conditional(condition, yes, no) => vec![condition, yes, no],
        _ => vec![],
    };
    let constants = [Expr::Const(0), Expr::Const(1)];
    children.into_iter().cloned().chain(constants).collect()
}

fn simpler_formulas(formula: &Formula) -> Vec<Formula> {
    match formula {
        Formula::Atom(_) => vec![],
        Formula::Unary(_, operand) => vec![(**operand).clone()],
        Formula::Binary(_, left, right) => vec![(**left).clone(), (**right).clone()],
    }
}

fn simpler_patterns(pattern: &Pattern) -> Vec<Pattern> {
    match pattern {
        Pattern::Ignore => vec![],
        Pattern::Eval(_) => vec![Pattern::Ignore, Pattern::Const(0), Pattern::Const(1)],
        _ => vec![Pattern::Ignore],
    }
}

fn simpler_declarations(decl: &Decl) -> Vec<Decl> {
    let mut decls = vec![];
    match (&decl.ty, &decl.init) {
        (Type::Chan, Some(Init::Channel { capacity: capacity @ 2.., fields })) => {
            let init = Some(Init::Channel { capacity: capacity - 1, fields: fields.clone() });
            decls.push(Decl { init, ..decl.clone() });
        }
        // Not the wider ones: a receive into a variable that is too small is nothing pan can undo.
        (Type::Bit | Type::Bool | Type::Unsigned(_) | Type::Pid, _) => {
            decls.push(Decl { ty: Type::Byte, ..decl.clone() });
        }
        _ => {}
    }
    if decl.ty != Type::Chan && decl.init.is_some() {
        decls.push(Decl { init: None, ..decl.clone() });
    }
    decls
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Odds, constructs, generate};

    /// The shrinker must get down to the statement that an artificial property asks for and its surroundings.
    #[test]
    fn what_does_not_matter_goes() {
        let unless = |model: &Model| constructs(model).contains("unless in atomic");
        let model = (0..).map(|seed| generate(seed, &Odds::default())).find(unless).unwrap();
        let small = shrink(&model, 100_000, unless);
        assert!(unless(&small));
        assert_eq!(small.proctypes.len(), 1, "{small}");
        assert_eq!(small.to_string().matches(';').count(), 0, "{small}");
    }

    #[test]
    fn the_limit_is_kept() {
        let model = generate(1, &Odds::default());
        let mut asked = 0;
        shrink(&model, 25, |_| {
            asked += 1;
            false
        });
        assert!(asked <= 25);
    }
}
