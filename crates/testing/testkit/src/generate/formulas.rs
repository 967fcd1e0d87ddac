//! Random formulas over the globals of a model.

use std::collections::BTreeSet;

use super::dice::Dice;
use super::tree::*;
use super::walk::{Visitor, walk};

/// What formulas and claims about a model can speak of.
pub struct Propositions {
    /// Scalar places that some statement changes, or all if there are none, with their types.
    places: Vec<(Place, Type)>,
    mtypes: Vec<String>,
    /// Buffered channels and their capacities.
    channels: Vec<(Place, u32)>,
    /// Proctypes with one instance and labels of theirs.
    points: Vec<(String, String)>,
    has_runs: bool,
}

impl Propositions {
    /// The model is not changed; there is one traversal, for looking and for editing.
    pub fn of(model: &mut Model) -> Propositions {
        let mut uses = Uses::default();
        walk(model, &mut uses);
        let all: Vec<_> = model.globals.iter().flat_map(|decl| scalars(decl, &model.typedefs)).collect();
        let changed: Vec<_> =
            all.iter().filter(|(place, _)| uses.changed.contains(&place.segments[0].name)).cloned().collect();
        Propositions {
            places: if changed.is_empty() { all } else { changed },
            mtypes: model.mtypes.clone(),
            channels: model.globals.iter().filter_map(buffered).collect(),
            points: model.proctypes.iter_mut().flat_map(points).collect(),
            has_runs: uses.has_runs,
        }
    }

    /// A question about a channel that Spin allows in claims, but not in formulas.
    pub fn query(&self, dice: &mut Dice) -> Option<Expr> {
        let (channel, _) = dice.pick_any(&self.channels)?;
        let query = dice.pick(&[Query::Empty, Query::Full, Query::NotEmpty, Query::NotFull]);
        Some(Expr::Query(query, channel))
    }
}

/// The scalar parts of a declaration; of an array the first element and the last.
fn scalars(decl: &Decl, typedefs: &[Typedef]) -> Vec<(Place, Type)> {
    let positions = decl.len.map_or(vec![None], |len| vec![Some(0), Some(len - 1)]);
    positions.into_iter().flat_map(|position| scalars_at(decl, position, typedefs)).collect()
}

fn scalars_at(decl: &Decl, position: Option<u32>, typedefs: &[Typedef]) -> Vec<(Place, Type)> {
    let index = position.zip(decl.len).map(|(position, len)| {
        let value = Box::new(Expr::Const(position as i32));
        Index { len, value, raw: false }
    });
    let segment = Segment { name: decl.name.clone(), index };
    match &decl.ty {
        Type::Chan => vec![],
        Type::Struct(name) => {
            let typedef = typedefs.iter().filter(|typedef| typedef.name == *name);
            let parts =
                typedef.flat_map(|typedef| &typedef.fields).flat_map(|field| scalars(field, typedefs));
            let within = |(part, ty): (Place, Type)| {
                let segments = [vec![segment.clone()], part.segments].concat();
                (Place { segments }, ty)
            };
            parts.map(within).collect()
        }
        ty => vec![(Place { segments: vec![segment] }, ty.clone())],
    }
}

fn buffered(decl: &Decl) -> Option<(Place, u32)> {
    match (&decl.init, decl.len) {
        (Some(Init::Channel { capacity: capacity @ 1.., .. }), None) => {
            Some((Place::variable(&decl.name), *capacity))
        }
        (Some(Init::Channel { capacity: capacity @ 1.., .. }), Some(len)) => {
            Some((Place::element(&decl.name, len, Expr::Const(0)), *capacity))
        }
        _ => None,
    }
}

/// The labels of the one process of a proctype. Which of several is meant would depend on the tool.
fn points(proctype: &mut Proctype) -> Vec<(String, String)> {
    if proctype.kind != ProctypeKind::Active(1) {
        return vec![];
    }
    let mut labels = Labels::default();
    super::walk::walk_body(&mut proctype.body, &mut labels);
    labels.0.into_iter().map(|label| (proctype.name.clone(), label)).collect()
}

#[derive(Default)]
struct Labels(Vec<String>);

impl Visitor for Labels {
    fn statement(&mut self, stmt: &mut Stmt) {
        if let Stmt::Labelled(label, _) = stmt {
            self.0.push(label.clone());
        }
    }
}

#[derive(Default)]
struct Uses {
    changed: BTreeSet<String>,
    has_runs: bool,
}

impl Uses {
    fn change(&mut self, place: &Place) {
        self.changed.insert(place.segments[0].name.clone());
    }
}

impl Visitor for Uses {
    fn statement(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Assign(place, _) | Stmt::Increment(place) | Stmt::Decrement(place) => self.change(place),
            Stmt::Select { target, .. } => self.change(target),
            Stmt::Run { pid, .. } => {
                self.has_runs = true;
                pid.iter().for_each(|place| self.change(place));
            }
            Stmt::Call { args, .. } => args.iter().for_each(|arg| {
                if let Expr::Place(place) = arg {
                    self.change(place);
                }
            }),
            Stmt::Receive(receive) => receive.patterns.iter().for_each(|pattern| {
                if let Pattern::Store(place) = pattern {
                    self.change(place);
                }
            }),
            _ => {}
        }
    }
}

/// A proposition.
pub fn atom(dice: &mut Dice, propositions: &Propositions) -> Expr {
    let weight = |present: bool, weight: u32| if present { weight } else { 0 };
    match dice.weighted(&[
        (weight(!propositions.places.is_empty(), 60), 0),
        (weight(!propositions.channels.is_empty(), 18), 1),
        (weight(!propositions.points.is_empty(), 8), 2),
        (weight(propositions.has_runs, 6), 3),
        (3, 4),
    ]) {
        0 => comparison(dice, propositions),
        1 => {
            let (channel, capacity) = dice.pick(&propositions.channels);
            let length = dice.between(0..=capacity as i32);
            Expr::binary(operator(dice), Expr::Len(channel), Expr::Const(length))
        }
        2 => {
            let (proctype, label) = dice.pick(&propositions.points);
            Expr::At { proctype, label }
        }
        _ => Expr::binary(operator(dice), Expr::NrPr, Expr::Const(dice.between(1..=3))),
    }
}

fn comparison(dice: &mut Dice, propositions: &Propositions) -> Expr {
    let (place, ty) = dice.pick(&propositions.places);
    let place = Expr::Place(place);
    match ty {
        Type::Mtype => {
            let op = dice.pick(&[BinaryOp::Equal, BinaryOp::NotEqual]);
            let constant = dice.pick_any(&propositions.mtypes).map_or(Expr::Const(1), Expr::Mtype);
            Expr::binary(op, place, constant)
        }
        Type::Bit | Type::Bool if dice.chance(50) => place,
        Type::Bit | Type::Bool => Expr::binary(BinaryOp::Equal, place, Expr::Const(dice.between(0..=1))),
        _ => {
            let constant = dice.weighted(&[(35, 0), (35, 1), (20, 2), (10, 3)]);
            Expr::binary(operator(dice), place, Expr::Const(constant))
        }
    }
}

fn operator(dice: &mut Dice) -> BinaryOp {
    use BinaryOp::*;
    dice.weighted(&[
        (30, Equal),
        (25, NotEqual),
        (12, Less),
        (10, LessEqual),
        (12, Greater),
        (10, GreaterEqual),
    ])
}

/// A formula of `size` operators and propositions.
pub fn formula(dice: &mut Dice, propositions: &Propositions, size: i32) -> Formula {
    use BinaryTemporal::*;
    use UnaryTemporal::*;
    if size <= 1 {
        return Formula::Atom(atom(dice, propositions));
    }
    if size == 2 || dice.chance(45) {
        let op = dice.weighted(&[(15, Not), (40, Always), (45, Eventually)]);
        return Formula::unary(op, formula(dice, propositions, size - 1));
    }
    let op = dice.weighted(&[
        (14, And),
        (22, Or),
        (24, Implies),
        (5, Equivalent),
        (18, Until),
        (8, WeakUntil),
        (9, Release),
    ]);
    let left = dice.between(1..=size - 2);
    let right = size - 1 - left;
    Formula::binary(op, formula(dice, propositions, left), formula(dice, propositions, right))
}
