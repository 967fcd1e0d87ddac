//! Places, values and conditions.

use super::Generator;
use super::features::Feature;
use super::scope::{Context, Variable};
use super::tree::*;

const COMPARISONS: [BinaryOp; 6] = [
    BinaryOp::Equal,
    BinaryOp::NotEqual,
    BinaryOp::Less,
    BinaryOp::LessEqual,
    BinaryOp::Greater,
    BinaryOp::GreaterEqual,
];

impl Generator {
    /// A place to assign to and its type; globals are preferred, for they are what processes share.
    pub(super) fn target(&mut self) -> Option<(Place, Type)> {
        let shared = self.dice.chance(65);
        self.place(|variable| variable.writable && (variable.global || !shared))
            .or_else(|| self.place(|variable| variable.writable))
    }

    /// A place that holds a number, to assign to.
    pub(super) fn number_target(&mut self) -> Option<(Place, Type)> {
        (0..4).find_map(|_| self.target().filter(|(_, ty)| *ty != Type::Mtype))
    }

    /// A place to receive a value of type `ty` in. It must hold every such value: when pan backtracks it puts back
    /// into the channel what it finds in the variable.
    pub(super) fn fitting_target(&mut self, ty: &Type) -> Option<Place> {
        (0..6)
            .find_map(|_| self.number_target().filter(|(_, target)| holds(target, ty)))
            .map(|(place, _)| place)
    }

    /// A place that holds an mtype, to assign to.
    pub(super) fn mtype_target(&mut self) -> Option<Place> {
        self.place(|variable| variable.writable && variable.ty == Type::Mtype).map(|(place, _)| place)
    }

    /// A place that holds a number, to read.
    pub(super) fn number(&mut self) -> Option<Place> {
        let numeric = |variable: &Variable| variable.ty != Type::Mtype;
        (0..4).find_map(|_| self.place(numeric).filter(|(_, ty)| *ty != Type::Mtype)).map(|(place, _)| place)
    }

    fn mtype_place(&mut self) -> Option<Place> {
        self.place(|variable| variable.ty == Type::Mtype).map(|(place, _)| place)
    }

    /// A scalar place in one of the visible variables that satisfy `admit`, and its type.
    fn place(&mut self, admit: impl Fn(&Variable) -> bool) -> Option<(Place, Type)> {
        let candidates: Vec<_> =
            self.scope.variables.iter().filter(|variable| admit(variable)).cloned().collect();
        let variable = self.dice.pick_any(&candidates)?;
        let segment = self.segment(&variable.name, variable.len);
        let mut place = Place { segments: vec![segment] };
        let mut ty = variable.ty;
        while let Type::Struct(name) = &ty {
            let typedef = self.plan.typedefs.iter().find(|typedef| typedef.name == *name)?;
            let field = self.dice.pick(&typedef.fields);
            place = place.field(self.segment(&field.name, field.len));
            ty = field.ty;
        }
        Some((place, ty))
    }

    fn segment(&mut self, name: &str, len: Option<u32>) -> Segment {
        let index = len.map(|len| Index { len, value: Box::new(self.index_value(len)), raw: false });
        Segment { name: name.to_owned(), index }
    }

    pub(super) fn index_value(&mut self, len: u32) -> Expr {
        let scalars: Vec<_> = self
            .scope
            .variables
            .iter()
            .filter(|variable| variable.len.is_none() && !variable.formal)
            .filter(|variable| !matches!(variable.ty, Type::Mtype | Type::Struct(_)))
            .map(|variable| Expr::Place(Place::variable(&variable.name)))
            .collect();
        match self.dice.pick_any(&scalars) {
            Some(scalar) if self.dice.chance(35) => scalar,
            _ if self.dice.chance(15) => Expr::Pid,
            _ => Expr::Const(self.dice.between(0..=len as i32 - 1)),
        }
    }

    /// A read of an array by an index that may be too large.
    pub(super) fn careless_read(&mut self) -> Option<Expr> {
        let array = self
            .scope
            .variables
            .iter()
            .find(|variable| variable.len.is_some() && variable.ty == Type::Byte)?;
        let (name, len) = (array.name.clone(), array.len?);
        let index = Index { len, value: Box::new(Expr::Place(self.number()?)), raw: true };
        Some(Expr::Place(Place { segments: vec![Segment { name, index: Some(index) }] }))
    }

    /// A value for a place of type `ty`.
    pub(super) fn value(&mut self, ty: &Type, cx: Context) -> Expr {
        match ty {
            Type::Mtype => self.mtype_value(),
            Type::Bit | Type::Bool if self.dice.chance(60) => self.condition(1),
            Type::Pid if self.dice.chance(40) => Expr::Pid,
            _ if cx.repeats && !small(ty) => self.small_value(),
            _ => self.expression(2),
        }
    }

    pub(super) fn mtype_value(&mut self) -> Expr {
        match self.mtype_place() {
            Some(place) if self.dice.chance(25) => Expr::Place(place),
            _ => self.mtype_constant(),
        }
    }

    fn mtype_constant(&mut self) -> Expr {
        self.dice.pick_any(&self.plan.mtypes).map_or(Expr::Const(1), Expr::Mtype)
    }

    /// A value of a range that stays small however often it is computed.
    fn small_value(&mut self) -> Expr {
        match self.dice.between(0..=9) {
            0..=4 => self.constant(),
            5 | 6 => self.number().map_or(Expr::Const(2), Expr::Place),
            7 => Expr::binary(BinaryOp::BitAnd, self.expression(1), Expr::Const(self.dice.pick(&[1, 2, 3]))),
            _ => self.expression(1).remainder(self.dice.pick(&[2, 3, -2])),
        }
    }

    /// A value that needs no truncation.
    pub(super) fn fitting_value(&mut self, ty: &Type) -> Expr {
        match ty {
            Type::Mtype => self.mtype_value(),
            Type::Bit | Type::Bool if self.dice.chance(40) => Expr::Const(self.dice.between(0..=1)),
            Type::Bit | Type::Bool => self.expression(1).masked(1),
            _ if self.dice.chance(50) => Expr::Const(self.dice.between(0..=3)),
            _ => self.expression(1).masked(3),
        }
    }

    fn constant(&mut self) -> Expr {
        Expr::Const(self.dice.weighted(&[
            (24, 0),
            (30, 1),
            (20, 2),
            (10, 3),
            (3, 4),
            (4, -1),
            (2, 255),
            (2, 256),
            (1, 300),
            (1, 40_000),
        ]))
    }

    /// Any expression whose value is a number.
    pub(super) fn expression(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.dice.chance(30) {
            return self.leaf();
        }
        match self.dice.between(0..=19) {
            0..=4 => self.binary(BinaryOp::Add, depth),
            5..=7 => self.binary(BinaryOp::Subtract, depth),
            8 => Expr::binary(
                BinaryOp::Multiply,
                self.expression(depth - 1),
                Expr::Const(self.dice.pick(&[2, 3, -1])),
            ),
            9 => self.binary(BinaryOp::BitAnd, depth),
            10 => self.binary(BinaryOp::BitOr, depth),
            11 => self.binary(BinaryOp::BitXor, depth),
            12 => self.shift(depth),
            13 | 14 => self.divide(depth),
            15 => Expr::Unary(UnaryOp::Negate, Box::new(self.expression(depth - 1))),
            16 => Expr::Unary(UnaryOp::Complement, Box::new(self.expression(depth - 1))),
            17 | 18 => Expr::Conditional(
                Box::new(self.condition(depth - 1)),
                Box::new(self.expression(depth - 1)),
                Box::new(self.expression(depth - 1)),
            ),
            _ => self.condition(depth - 1),
        }
    }

    fn binary(&mut self, op: BinaryOp, depth: u32) -> Expr {
        Expr::binary(op, self.expression(depth - 1), self.expression(depth - 1))
    }

    fn shift(&mut self, depth: u32) -> Expr {
        let op = self.dice.pick(&[BinaryOp::ShiftLeft, BinaryOp::ShiftRight]);
        Expr::binary(op, self.expression(depth - 1), Expr::Const(self.dice.between(0..=3)))
    }

    fn divide(&mut self, depth: u32) -> Expr {
        let remainder = self.dice.chance(60);
        Expr::Divide {
            remainder,
            value: Box::new(self.expression(depth - 1)),
            by: self.dice.pick(&[2, 3, 5, -2]),
        }
    }

    fn leaf(&mut self) -> Expr {
        let last = if self.features.has(Feature::Last) { 8 } else { 0 };
        let priority = if self.features.has(Feature::Priorities) { 4 } else { 0 };
        match self.dice.weighted(&[(35, 0), (50, 1), (4, 2), (3, 3), (last, 4), (6, 5), (priority, 6)]) {
            0 => self.constant(),
            2 => Expr::Pid,
            3 => Expr::NrPr,
            4 => Expr::Last,
            5 => self.some_channel().map_or(Expr::Const(1), Expr::Len),
            6 => Expr::GetPriority(Box::new(Expr::Pid)),
            _ => self.number().map_or(Expr::Const(1), Expr::Place),
        }
    }

    /// A condition that neither refers to the contents of channels nor to timeout.
    pub(super) fn condition(&mut self, depth: u32) -> Expr {
        match self.dice.between(0..=19) {
            0..=1 if depth > 0 => {
                Expr::binary(BinaryOp::And, self.condition(depth - 1), self.condition(depth - 1))
            }
            2..=3 if depth > 0 => {
                Expr::binary(BinaryOp::Or, self.condition(depth - 1), self.condition(depth - 1))
            }
            4 if depth > 0 => self.condition(depth - 1).negated(),
            5..=8 => self.mtype_comparison().unwrap_or_else(|| self.comparison()),
            9 => self.number().map_or(Expr::Const(1), Expr::Place),
            10 => Expr::binary(self.comparison_operator(), Expr::NrPr, Expr::Const(self.dice.between(1..=3))),
            11 if depth > 0 => {
                Expr::binary(self.comparison_operator(), self.expression(depth), self.expression(depth))
            }
            _ => self.comparison(),
        }
    }

    fn comparison_operator(&mut self) -> BinaryOp {
        self.dice.pick(&COMPARISONS)
    }

    fn comparison(&mut self) -> Expr {
        let left = match self.number() {
            Some(place) if self.dice.chance(80) => Expr::Place(place),
            _ => self.leaf(),
        };
        let right = Expr::Const(self.dice.weighted(&[(40, 0), (40, 1), (15, 2), (5, 3)]));
        Expr::binary(self.comparison_operator(), left, right)
    }

    fn mtype_comparison(&mut self) -> Option<Expr> {
        let place = self.mtype_place()?;
        let op = self.dice.pick(&[BinaryOp::Equal, BinaryOp::NotEqual]);
        Some(Expr::binary(op, Expr::Place(place), self.mtype_constant()))
    }
}

/// Whether the values of a type are so few that no care is needed to keep them few.
pub(super) fn small(ty: &Type) -> bool {
    match ty {
        Type::Bit | Type::Bool | Type::Mtype => true,
        Type::Unsigned(width) => *width <= 2,
        _ => false,
    }
}

/// Whether a variable of type `target` holds all values of type `ty`, neither of them mtype.
fn holds(target: &Type, ty: &Type) -> bool {
    match ty {
        Type::Bit | Type::Bool => true,
        Type::Byte | Type::Pid => match target {
            Type::Unsigned(width) => *width >= 8,
            _ => matches!(target, Type::Byte | Type::Pid | Type::Short | Type::Int),
        },
        Type::Short => matches!(target, Type::Short | Type::Int),
        _ => *target == Type::Int,
    }
}
