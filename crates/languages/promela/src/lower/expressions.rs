//! Expressions, places and message patterns.

use std::sync::Arc;

use allways_source::{Diagnostic, Span, did_you_mean};
use allways_system::{
    BinaryOp, ChannelKindId, ChannelTest, Expr, Index, LocationId, Pattern, Place, ProctypeId, Scalar, Scope,
    Shape, UnaryOp,
};

use super::Lowering;
use super::references::{LabelReference, VariableReference};
use super::symbols::{Symbol, Type};
use crate::ast;

/// A place that may still be an array or a struct.
#[derive(Clone, Debug)]
pub struct Designator {
    pub scope: Scope,
    pub base: u32,
    pub indices: Vec<Index>,
    pub shape: Shape,
    pub channel: Option<ChannelKindId>,
    pub span: Span,
}

impl Lowering<'_> {
    /// A value and its type. After a mistake: a stand-in of unknown type.
    pub fn expr(&mut self, expr: &ast::Expr) -> (Expr, Type) {
        use ast::ExprKind as K;
        match &expr.kind {
            K::Constant(value) => (Expr::Constant(self.literal(*value, expr.span)), Type::Number),
            K::Place(place) => self.load(place),
            K::Unary(op, operand) => self.unary(*op, operand, expr.span),
            K::Binary(op, a, b) => self.binary(*op, a, b, expr.span),
            K::Conditional(condition, then, otherwise) => {
                let condition = self.value(condition);
                let (then, kind) = self.expr(then);
                let (otherwise_value, other_kind) = self.expr(otherwise);
                self.check_assignable(kind, other_kind, otherwise.span);
                (Expr::Conditional(Box::new((condition, then, otherwise_value))), kind)
            }
            K::Run { proctype, .. } => {
                self.report_once(
                    Diagnostic::error("misplaced-run", expr.span, "`run` cannot be part of an expression")
                        .help(format!(
                            "make it a statement `run {0}(…)` or an assignment `p = run {0}(…)`",
                            proctype.text
                        )),
                );
                (Expr::Constant(0), Type::Unknown)
            }
            K::Channel(test, place) => {
                let test = match test {
                    ast::ChannelTest::Len => ChannelTest::Len,
                    ast::ChannelTest::Empty => ChannelTest::Empty,
                    ast::ChannelTest::NotEmpty => ChannelTest::NotEmpty,
                    ast::ChannelTest::Full => ChannelTest::Full,
                    ast::ChannelTest::NotFull => ChannelTest::NotFull,
                };
                let (channel, _) = self.channel(place);
                (Expr::Channel(test, Box::new(channel)), Type::Number)
            }
            K::Poll { channel, random, arguments } => {
                let (channel, kind) = self.channel(channel);
                let patterns = self.patterns(arguments, kind, expr.span, false);
                let (channel, patterns) = (Box::new(channel), patterns.into());
                (Expr::Poll { channel, random: *random, patterns }, Type::Number)
            }
            K::Timeout => (Expr::Timeout, Type::Number),
            K::NonProgress => (Expr::NonProgress, Type::Number),
            K::Enabled(pid) => (Expr::Enabled(Box::new(self.value(pid))), Type::Number),
            K::PcValue(pid) => (Expr::PcValue(Box::new(self.value(pid))), Type::Number),
            K::GetPriority(pid) => {
                self.system.priorities = true;
                (Expr::Priority(Box::new(self.value(pid))), Type::Number)
            }
            K::RemoteLabel { proctype, pid, label } => {
                let pid = pid.as_ref().map(|pid| Box::new(self.value(pid)));
                let Some(proctype) = self.proctype(proctype) else {
                    return (Expr::Constant(0), Type::Unknown);
                };
                self.label_references.push(LabelReference { proctype, label: (**label).clone() });
                let location = LocationId(self.label_references.len() as u32 - 1);
                (Expr::At { proctype, pid, location }, Type::Number)
            }
            K::RemoteVariable { proctype, pid, variable } => {
                self.remote_variable(proctype, pid.as_deref(), variable)
            }
            // Reported elsewhere.
            K::EmbeddedC(_) | K::Error => (Expr::Constant(0), Type::Unknown),
        }
    }

    /// A value that is used as a number.
    pub fn value(&mut self, expr: &ast::Expr) -> Expr {
        self.expr(expr).0
    }

    fn literal(&mut self, value: i64, span: Span) -> i32 {
        let stored = value as i32;
        if stored as i64 != value {
            self.report(
                Diagnostic::warning(
                    "truncated",
                    span,
                    format!("{value} does not fit into 32 bits: it becomes {stored}"),
                )
                .help("the largest number is 2147483647"),
            );
        }
        stored
    }

    fn unary(&mut self, op: ast::UnaryOp, operand: &ast::Expr, span: Span) -> (Expr, Type) {
        let op = match op {
            ast::UnaryOp::Negate => UnaryOp::Negate,
            ast::UnaryOp::Not => UnaryOp::Not,
            ast::UnaryOp::Complement => UnaryOp::Complement,
            ast::UnaryOp::Always | ast::UnaryOp::Eventually | ast::UnaryOp::Next => {
                self.error("temporal-operator", span, "a temporal operator has a meaning only in a formula");
                return (Expr::Constant(0), Type::Unknown);
            }
        };
        let (value, kind) = self.expr(operand);
        if op != UnaryOp::Not {
            self.check_number(kind, operand.span);
        }
        let expr = Expr::Unary(op, Box::new(value));
        (self.fold(expr), Type::Number)
    }

    fn binary(&mut self, op: ast::BinaryOp, a: &ast::Expr, b: &ast::Expr, span: Span) -> (Expr, Type) {
        let Some(lowered) = binary_op(op) else {
            self.error("temporal-operator", span, "a temporal operator has a meaning only in a formula");
            return (Expr::Constant(0), Type::Unknown);
        };
        let (left, left_kind) = self.expr(a);
        let (right, right_kind) = self.expr(b);
        match lowered {
            BinaryOp::Equal | BinaryOp::NotEqual => self.check_comparable(left_kind, right_kind, span),
            BinaryOp::And | BinaryOp::Or => {}
            _ => {
                self.check_number(left_kind, a.span);
                self.check_number(right_kind, b.span);
            }
        }
        let expr = Expr::Binary(lowered, Box::new((left, right)));
        (self.fold(expr), Type::Number)
    }

    fn fold(&self, expr: Expr) -> Expr {
        match self.constant(&expr, false) {
            Some(value) => Expr::Constant(value),
            None => expr,
        }
    }

    fn load(&mut self, place: &ast::Place) -> (Expr, Type) {
        if let [part] = &place.parts[..]
            && let Some(found) = self.predefined(&part.name)
        {
            return found;
        }
        let Some(designator) = self.designator(place, true) else {
            return (Expr::Constant(0), Type::Unknown);
        };
        match self.as_scalar(designator) {
            Some(place) => {
                let kind = Type::of(place.scalar);
                (Expr::Load(place), kind)
            }
            None => (Expr::Constant(0), Type::Unknown),
        }
    }

    /// Symbolic constants, and the names that every model has.
    fn predefined(&mut self, name: &ast::Name) -> Option<(Expr, Type)> {
        if let Some(Symbol::Mtype(set, value)) = self.scopes.find(&name.text) {
            return Some((Expr::Constant(*value), Type::Mtype(*set)));
        }
        if self.scopes.find(&name.text).is_some() {
            return None;
        }
        Some(match &*name.text {
            "_pid" | "_priority" if self.property.is_some() => {
                self.no_process_here(name);
                (Expr::Constant(0), Type::Unknown)
            }
            "_pid" => (Expr::Pid, Type::Number),
            "_nr_pr" => (Expr::ProcessCount, Type::Number),
            "_last" => {
                self.system.tracks_last = true;
                (Expr::Last, Type::Number)
            }
            "_priority" => {
                self.system.priorities = true;
                (Expr::Priority(Box::new(Expr::Pid)), Type::Number)
            }
            // Only a simulator could read it: here it is a channel that was never initialised.
            "STDIN" => {
                let message =
                    "`STDIN` is a channel that was never initialised: only Spin's simulator reads it";
                self.report_once(
                    Diagnostic::warning("standard-input", name.span, message)
                        .help("let a process of the model send what may be read"),
                );
                (Expr::Constant(0), Type::Channel)
            }
            "_" => {
                self.error("read-of-anonymous", name.span, "`_` only takes values, it has none");
                (Expr::Constant(0), Type::Unknown)
            }
            _ => return None,
        })
    }

    /// `_pid` in a property.
    fn no_process_here(&mut self, name: &ast::Name) {
        let Some(property) = self.property else { return };
        let message =
            format!("`{}` is about the process that executes a statement; {property} has none", name.text);
        self.report(
            Diagnostic::error("no-process-number", name.span, message)
                .help("name the process: write its number, or `P[1]:x` for a variable of it"),
        );
    }

    /// What a path of names and indices denotes. `reads`: for the lint about variables that nobody reads.
    pub fn designator(&mut self, place: &ast::Place, reads: bool) -> Option<Designator> {
        let (first, rest) = place.parts.split_first()?;
        let variable = match self.scopes.find(&first.name.text) {
            Some(Symbol::Variable(variable)) => variable.clone(),
            Some(Symbol::Mtype(..)) => {
                let message = format!("`{}` is an mtype constant, not a variable", first.name.text);
                self.error("not-a-variable", first.name.span, message);
                return None;
            }
            None => {
                self.undeclared(&first.name);
                return None;
            }
        };
        if reads {
            self.usages[variable.usage].read = true;
        }
        let mut designator = Designator {
            scope: variable.scope,
            base: variable.base,
            indices: Default::default(),
            shape: variable.shape.clone(),
            channel: variable.channel,
            span: place.span,
        };
        self.index(&mut designator, first)?;
        for part in rest {
            self.field(&mut designator, part)?;
            self.index(&mut designator, part)?;
        }
        Some(designator)
    }

    fn field(&mut self, designator: &mut Designator, part: &ast::PlacePart) -> Option<()> {
        let name = &part.name;
        match &designator.shape {
            Shape::Record { name: typedef, fields } => {
                let mut offset = 0;
                for (field, shape) in fields.iter() {
                    if **field == *name.text {
                        designator.base += offset;
                        designator.shape = shape.clone();
                        return Some(());
                    }
                    offset += shape.slots();
                }
                let message = format!("`{typedef}` has no field `{}`", name.text);
                let close =
                    did_you_mean(&name.text, fields.iter().map(|(field, _)| &**field)).map(str::to_string);
                let diagnostic = Diagnostic::error("unknown-field", name.span, message);
                self.report(match close {
                    Some(close) => diagnostic.help(format!("a field with a similar name exists: `{close}`")),
                    None => diagnostic,
                });
            }
            Shape::Array(..) => {
                self.error("missing-index", designator.span, "an array needs an index before a field");
            }
            Shape::Scalar(_) => {
                let message = format!("`{}` has no fields", name.text);
                self.error("unknown-field", name.span, message);
            }
        }
        None
    }

    fn index(&mut self, designator: &mut Designator, part: &ast::PlacePart) -> Option<()> {
        let Some(index) = &part.index else { return Some(()) };
        let (value, kind) = self.expr(index);
        self.check_number(kind, index.span);
        let Shape::Array(element, bound) = designator.shape.clone() else {
            let message = format!("`{}` is not an array", part.name.text);
            if self.constant(&value, false) == Some(0) {
                let diagnostic = Diagnostic::warning("not-an-array", part.name.span, message);
                self.report(diagnostic.help("the index 0 means the variable itself: leave it out"));
                return Some(());
            }
            self.error("not-an-array", part.name.span, message);
            return None;
        };
        let stride = element.slots();
        match self.constant(&value, false) {
            Some(constant) if constant >= 0 && (constant as u32) < bound => {
                designator.base += constant as u32 * stride;
            }
            known => {
                if let Some(constant) = known {
                    let message = format!("the index {constant} is outside the array of {bound}");
                    self.report(Diagnostic::warning("index-out-of-range", index.span, message));
                }
                designator.indices.push(Index { value, stride, bound });
            }
        }
        designator.shape = Shape::clone(&element);
        Some(())
    }

    pub fn as_scalar(&mut self, designator: Designator) -> Option<Place> {
        let Designator { scope, base, indices, shape, span, .. } = designator;
        match shape {
            Shape::Scalar(scalar) => Some(Place { scope, base, indices: indices.into(), scalar }),
            Shape::Array(_, length) => {
                self.report(
                    Diagnostic::error("missing-index", span, "an array needs an index here")
                        .help(format!("its elements are 0 to {}", length - 1)),
                );
                None
            }
            Shape::Record { name, .. } => {
                self.report_once(
                    Diagnostic::error(
                        "whole-struct",
                        span,
                        format!("a whole `{name}` cannot be used as a value"),
                    )
                    .help(
                        "name one of its fields; whole structs can only be sent, received and passed to run",
                    ),
                );
                None
            }
        }
    }

    /// A variable that takes a value.
    pub fn target(&mut self, place: &ast::Place) -> Option<Place> {
        let designator = self.designator(place, false)?;
        self.as_scalar(designator)
    }

    fn undeclared(&mut self, name: &ast::Name) {
        let close = did_you_mean(&name.text, self.scopes.names()).map(str::to_string);
        let diagnostic =
            Diagnostic::error("undeclared-name", name.span, format!("`{}` is not declared", name.text));
        self.report(match close {
            Some(close) => diagnostic.help(format!("a similar name exists: `{close}`")),
            None if self.signatures.contains_key(&name.text) => {
                diagnostic.help(format!("`{0}` is a proctype: start it with `run {0}(…)`", name.text))
            }
            None => diagnostic,
        });
    }

    /// The channel that a place holds, and its kind if that is known.
    pub fn channel(&mut self, place: &ast::Place) -> (Expr, Option<ChannelKindId>) {
        if let [part] = &place.parts[..]
            && let Some((expr, kind)) = self.predefined(&part.name)
        {
            if kind != Type::Channel && kind != Type::Unknown {
                self.error("not-a-channel", place.span, format!("`{}` is not a channel", part.name.text));
            }
            return (expr, None);
        }
        let Some(designator) = self.designator(place, true) else { return (Expr::Constant(0), None) };
        let kind = designator.channel;
        let Some(place) = self.as_scalar(designator.clone()) else { return (Expr::Constant(0), None) };
        if place.scalar != Scalar::Chan {
            self.error("not-a-channel", designator.span, "this is not a channel");
            return (Expr::Constant(0), None);
        }
        (Expr::Load(place), kind)
    }

    pub fn proctype(&mut self, name: &ast::Name) -> Option<ProctypeId> {
        if let Some(signature) = self.signatures.get(&name.text) {
            return Some(signature.id);
        }
        let close = did_you_mean(&name.text, self.signatures.keys().map(|name| &**name)).map(str::to_string);
        let diagnostic =
            Diagnostic::error("unknown-proctype", name.span, format!("there is no proctype `{}`", name.text));
        self.report(match close {
            Some(close) => diagnostic.help(format!("a proctype with a similar name exists: `{close}`")),
            None => diagnostic,
        });
        None
    }

    fn remote_variable(
        &mut self,
        proctype: &ast::Name,
        pid: Option<&ast::Expr>,
        variable: &ast::Place,
    ) -> (Expr, Type) {
        let pid = pid.map(|pid| Box::new(self.value(pid)));
        let (Some(proctype), [part]) = (self.proctype(proctype), &variable.parts[..]) else {
            if variable.parts.len() > 1 {
                self.error(
                    "remote-field",
                    variable.span,
                    "a remote reference cannot reach a field of a struct",
                );
            }
            return (Expr::Constant(0), Type::Unknown);
        };
        let indices = match &part.index {
            Some(index) => vec![Index { value: self.value(index), stride: 1, bound: 0 }],
            None => Vec::new(),
        };
        let indexed = !indices.is_empty();
        self.variable_references.push(VariableReference { proctype, name: part.name.clone(), indexed });
        let base = self.variable_references.len() as u32 - 1;
        let place = Place { scope: Scope::Local, base, indices: indices.into(), scalar: Scalar::Int };
        (Expr::Remote { proctype, pid, place: Box::new(place) }, Type::Number)
    }

    // ---- messages and arguments: structs are flattened

    /// The values of the arguments of a send or a run, with type and place of each.
    pub fn arguments(&mut self, arguments: &[ast::Expr]) -> Vec<(Expr, Type, Span)> {
        let mut values = Vec::new();
        for argument in arguments {
            if let ast::ExprKind::Place(place) = &argument.kind
                && let Some(designator) = self.struct_designator(place)
            {
                for place in flatten(&designator) {
                    let kind = Type::of(place.scalar);
                    values.push((Expr::Load(place), kind, argument.span));
                }
                continue;
            }
            let (value, kind) = self.expr(argument);
            values.push((value, kind, argument.span));
        }
        values
    }

    fn struct_designator(&mut self, place: &ast::Place) -> Option<Designator> {
        let first = place.parts.first()?;
        match self.scopes.find(&first.name.text) {
            Some(Symbol::Variable(variable)) if !matches!(variable.shape, Shape::Scalar(_)) => {}
            _ => return None,
        }
        // Only a path that ends at a struct is flattened; anything wrong with it is reported the ordinary way.
        let errors = self.diagnostics.len();
        let designator = self.designator(place, true);
        match designator {
            Some(designator) if matches!(designator.shape, Shape::Record { .. }) => Some(designator),
            _ => {
                self.diagnostics.truncate(errors);
                None
            }
        }
    }

    /// The patterns of a receive or a poll. `stores`: variables take values, so they are not read.
    pub fn patterns(
        &mut self,
        arguments: &[ast::Pattern],
        kind: Option<ChannelKindId>,
        span: Span,
        stores: bool,
    ) -> Vec<Pattern> {
        let mut patterns: Vec<(Pattern, Type, Span)> = Vec::new();
        for argument in arguments {
            match argument {
                ast::Pattern::Ignore(span) => patterns.push((Pattern::Ignore, Type::Unknown, *span)),
                ast::Pattern::Constant(expr) | ast::Pattern::Eval(expr) => {
                    let (value, kind) = self.expr(expr);
                    patterns.push((Pattern::Match(value), kind, expr.span));
                }
                ast::Pattern::Place(place) => self.place_pattern(place, stores, &mut patterns),
            }
        }
        if stores {
            self.check_stored_once(&patterns);
        }
        let fields = kind.map(|kind| self.system.channels[kind.index()].fields.clone());
        if let (Some(fields), Some(kind)) = (fields, kind) {
            // A poll may look at the first fields only.
            if stores || patterns.len() > fields.len() {
                self.check_arity("received", patterns.len(), fields.len(), kind, span);
            }
            for ((pattern, found, span), field) in patterns.iter().zip(&fields) {
                self.check_field(Type::of(*field), *found, *span);
                if let Pattern::Match(value) = pattern {
                    self.check_constant_fits(*field, value, *span);
                }
            }
        }
        patterns.into_iter().map(|(pattern, _, _)| pattern).collect()
    }

    fn check_stored_once(&mut self, patterns: &[(Pattern, Type, Span)]) {
        for (index, (pattern, _, span)) in patterns.iter().enumerate() {
            let first = patterns[..index].iter().find(|(other, _, _)| other == pattern);
            if let (Pattern::Store(_), Some((_, _, first))) = (pattern, first) {
                self.report(
                    Diagnostic::error(
                        "received-twice",
                        *span,
                        "the variable takes two fields of the same message",
                    )
                    .also(*first, "it takes this one first"),
                );
            }
        }
    }

    fn place_pattern(&mut self, place: &ast::Place, stores: bool, into: &mut Vec<(Pattern, Type, Span)>) {
        if let [part] = &place.parts[..] {
            if &*part.name.text == "_" && self.scopes.find("_").is_none() {
                into.push((Pattern::Ignore, Type::Unknown, place.span));
                return;
            }
            if let Some((value, kind)) = self.predefined(&part.name) {
                into.push((Pattern::Match(value), kind, place.span));
                return;
            }
        }
        if let Some(designator) = self.struct_designator(place) {
            for place in flatten(&designator) {
                into.push((Pattern::Store(place.clone()), Type::of(place.scalar), designator.span));
            }
            return;
        }
        let target = match self.designator(place, !stores) {
            Some(designator) => self.as_scalar(designator),
            None => None,
        };
        into.push(match target {
            Some(target) => {
                let kind = Type::of(target.scalar);
                (Pattern::Store(target), kind, place.span)
            }
            None => (Pattern::Ignore, Type::Unknown, place.span),
        });
    }

    /// Fewer fields than the messages have, or more, is an error of the run that gets there: in Spin, too. To send more than any
    /// channel can take is a mistake.
    pub fn check_arity(
        &mut self,
        what: &str,
        given: usize,
        expected: usize,
        kind: ChannelKindId,
        span: Span,
    ) {
        let declared = &self.system.channels[kind.index()];
        let message = format!(
            "{given} field{} {what}, but the messages of `{}` have {expected}",
            if given == 1 { "" } else { "s" },
            declared.name
        );
        let place = declared.span;
        if given == expected {
            return;
        }
        let most = self.system.channels.iter().map(|kind| kind.fields.len()).max().unwrap_or(0);
        let diagnostic = if what == "sent" && given > most {
            Diagnostic::error("message-arity", span, message)
        } else {
            Diagnostic::warning("message-arity", span, message).help("executing this is an error")
        };
        self.report(diagnostic.also(place, "the channel is declared here"));
    }

    // ---- types

    pub fn check_assignable(&mut self, target: Type, value: Type, span: Span) {
        if let Some(message) = self.mismatch(target, value) {
            self.error("type-mismatch", span, message);
        }
    }

    /// Models do send symbolic names through channels of channels: only a warning.
    pub fn check_field(&mut self, field: Type, value: Type, span: Span) {
        if let Some(message) = self.mismatch(field, value) {
            self.report(Diagnostic::warning("type-mismatch", span, message));
        }
    }

    fn mismatch(&self, target: Type, value: Type) -> Option<String> {
        match (target, value) {
            (Type::Channel, Type::Number | Type::Mtype(_)) => {
                Some("a channel is expected here, this is a number".to_string())
            }
            (Type::Number | Type::Mtype(_), Type::Channel) => {
                Some("a number is expected here, this is a channel".to_string())
            }
            (Type::Mtype(a), Type::Mtype(b)) if a != b => {
                Some(format!("{} is expected here, this is {}", self.mtype_name(a), self.mtype_name(b)))
            }
            _ => None,
        }
    }

    fn check_comparable(&mut self, a: Type, b: Type, span: Span) {
        if let (Type::Mtype(a), Type::Mtype(b)) = (a, b)
            && a != b
        {
            let message = format!("{} is compared with {}", self.mtype_name(a), self.mtype_name(b));
            self.error("type-mismatch", span, message);
        }
    }

    fn check_number(&mut self, kind: Type, span: Span) {
        if kind == Type::Channel {
            self.error("channel-arithmetic", span, "a channel cannot be calculated with");
        }
    }

    fn mtype_name(&self, set: allways_system::MtypeId) -> String {
        match &self.system.mtypes[set.index()].name {
            Some(name) => format!("a value of mtype:{name}"),
            None => "a value of the unnamed mtype".to_string(),
        }
    }

    /// Warns if a constant does not survive being stored.
    pub fn check_fits(&mut self, scalar: Scalar, value: i32, span: Span) {
        let stored = scalar.truncate(value);
        if stored != value {
            let message = format!("{value} does not fit into {}: it becomes {stored}", scalar_name(scalar));
            self.report(Diagnostic::warning("truncated", span, message));
        }
    }

    pub fn check_constant_fits(&mut self, scalar: Scalar, value: &Expr, span: Span) {
        if let Expr::Constant(value) = value {
            self.check_fits(scalar, *value, span);
        }
    }
}

/// The scalars of a struct, one by one.
pub fn flatten(designator: &Designator) -> Vec<Place> {
    let scalars = designator.shape.scalars();
    scalars
        .into_iter()
        .enumerate()
        .map(|(slot, scalar)| Place {
            scope: designator.scope,
            base: designator.base + slot as u32,
            indices: designator.indices.clone().into(),
            scalar,
        })
        .collect()
}

pub fn scalar_name(scalar: Scalar) -> Arc<str> {
    match scalar {
        Scalar::Bit => "a bit (0 or 1)".into(),
        Scalar::Bool => "a bool (0 or 1)".into(),
        Scalar::Byte => "a byte (0 to 255)".into(),
        Scalar::Pid => "a pid (0 to 255)".into(),
        Scalar::Short => "a short (-32768 to 32767)".into(),
        Scalar::Int => "an int".into(),
        Scalar::Unsigned(bits) => format!("{bits} unsigned bits").into(),
        Scalar::Mtype(_) => "an mtype".into(),
        Scalar::Chan => "a chan".into(),
    }
}

/// None for the operators of formulas.
pub fn binary_op(op: ast::BinaryOp) -> Option<BinaryOp> {
    use ast::BinaryOp as B;
    Some(match op {
        B::Add => BinaryOp::Add,
        B::Subtract => BinaryOp::Subtract,
        B::Multiply => BinaryOp::Multiply,
        B::Divide => BinaryOp::Divide,
        B::Remainder => BinaryOp::Remainder,
        B::ShiftLeft => BinaryOp::ShiftLeft,
        B::ShiftRight => BinaryOp::ShiftRight,
        B::BitAnd => BinaryOp::BitAnd,
        B::BitOr => BinaryOp::BitOr,
        B::BitXor => BinaryOp::BitXor,
        B::And => BinaryOp::And,
        B::Or => BinaryOp::Or,
        B::Equal => BinaryOp::Equal,
        B::NotEqual => BinaryOp::NotEqual,
        B::Less => BinaryOp::Less,
        B::LessEqual => BinaryOp::LessEqual,
        B::Greater => BinaryOp::Greater,
        B::GreaterEqual => BinaryOp::GreaterEqual,
        B::Implies | B::Equivalent | B::Until | B::WeakUntil | B::Release => return None,
    })
}
