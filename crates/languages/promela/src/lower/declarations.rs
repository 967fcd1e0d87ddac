//! Types, variables, proctype headers.

use std::collections::HashSet;
use std::sync::Arc;

use allways_source::{Diagnostic, Span, did_you_mean};
use allways_system::{
    ChannelKind, ChannelKindId, Expr, Initial, InitialProcess, Mtype, MtypeId, Place, Proctype, ProctypeId,
    Scalar, Scope, Shape, Shared,
};

use super::Lowering;
use super::statements::Body;
use super::symbols::{Signature, Symbol, Type, Usage, Variable};
use crate::{ast, pretty};

/// A typedef: its shape, and what its slots hold at the start.
#[derive(Clone, Debug)]
pub struct Typedef {
    pub shape: Shape,
    pub initial: Vec<Initial>,
    pub span: Span,
}

/// What a declared name is, before it has slots.
pub struct Declared {
    pub shape: Shape,
    /// One per slot, or empty for zeros; only what is known without running anything.
    pub initial: Vec<Initial>,
    pub channel: Option<ChannelKindId>,
}

/// Names that every model has.
const PREDEFINED: [&str; 5] = ["_", "_pid", "_nr_pr", "_last", "_priority"];

/// A model whose variables or buffers need more than this is a mistake.
const MAX_SLOTS: u32 = 4_000_000;

impl Lowering<'_> {
    pub fn declare_types(&mut self) {
        for unit in &self.model.units {
            match unit {
                ast::Unit::Mtype(mtype) => self.declare_mtype(mtype),
                ast::Unit::Typedef(typedef) => self.declare_typedef(typedef),
                _ => {}
            }
        }
        self.refuse_embedded_c();
    }

    fn declare_mtype(&mut self, mtype: &ast::Mtype) {
        let set = match &mtype.set {
            Some(name) => self.mtype_set(&name.text, true).unwrap_or(MtypeId(0)),
            None => MtypeId(0),
        };
        // Within one declaration the last name has the lowest value.
        for name in mtype.names.iter().rev() {
            let names = &mut self.system.mtypes[set.index()].names;
            names.push(name.text.to_string());
            let value = names.len() as i32;
            if let Some(first) = self.scopes.find_in_innermost(&name.text) {
                let message = format!("`{}` is declared twice", name.text);
                let first = symbol_span(first);
                self.redeclared(name.span, message, first);
                continue;
            }
            self.scopes.declare(name.text.clone(), Symbol::Mtype(set, value));
        }
    }

    /// The set of that name; created if `create`.
    fn mtype_set(&mut self, name: &Arc<str>, create: bool) -> Option<MtypeId> {
        if let Some(set) = self.mtype_sets.get(name) {
            return Some(*set);
        }
        create.then(|| {
            self.system.mtypes.push(Mtype { name: Some(name.to_string()), names: Vec::new() });
            let set = MtypeId(self.system.mtypes.len() as u32 - 1);
            self.mtype_sets.insert(name.clone(), set);
            set
        })
    }

    fn declare_typedef(&mut self, typedef: &ast::Typedef) {
        let mut fields: Vec<(String, Shape)> = Vec::new();
        let mut initial = Vec::new();
        for declaration in &typedef.fields {
            for variable in &declaration.variables {
                if fields.iter().any(|(name, _)| **name == *variable.name.text) {
                    let message = format!("the typedef has two fields `{}`", variable.name.text);
                    self.error("duplicate-name", variable.name.span, message);
                    continue;
                }
                if let ast::TypeName::Named(name) = &declaration.type_name
                    && name.text == typedef.name.text
                {
                    let message = format!("`{}` cannot contain itself", name.text);
                    self.error("recursive-typedef", name.span, message);
                    continue;
                }
                let declared = self.declared(declaration, variable);
                let filled = initial.len() + declared.shape.slots() as usize;
                initial.extend(self.global_initial(&declared, variable));
                initial.resize(filled, Initial::Value(0));
                fields.push((variable.name.text.to_string(), declared.shape));
            }
        }
        if initial.iter().all(|initial| *initial == Initial::Value(0)) {
            initial.clear();
        }
        let name = &typedef.name;
        if let Some(first) = self.typedefs.get(&name.text) {
            let first = first.span;
            self.redeclared(name.span, format!("the typedef `{}` is declared twice", name.text), Some(first));
            return;
        }
        let shape = Shape::Record { name: name.text.clone(), fields: fields.into() };
        self.typedefs.insert(name.text.clone(), Typedef { shape, initial, span: name.span });
    }

    pub fn declare_globals(&mut self) {
        for unit in &self.model.units {
            let ast::Unit::Variables(declaration) = unit else { continue };
            for variable in &declaration.variables {
                let declared = self.declared(declaration, variable);
                let initial = self.global_initial(&declared, variable);
                let (shape, channel) = (declared.shape, declared.channel);
                let base = self.system.globals.push(&*variable.name.text, shape.clone(), variable.name.span);
                if let Some(pushed) = self.system.globals.variables.last_mut() {
                    pushed.initial = initial;
                    pushed.hidden = declaration.visibility == Some(ast::Visibility::Hidden);
                }
                let exempt =
                    declaration.visibility.is_some() || self.named_as_length.contains(&variable.name.text);
                self.declare_variable(&variable.name, Scope::Global, shape, base, channel, exempt);
            }
        }
    }

    /// The first values of a global: whatever can be computed from the globals before it.
    fn global_initial(&mut self, declared: &Declared, variable: &ast::Variable) -> Vec<Initial> {
        let slots = declared.shape.slots() as usize;
        let scalar = match &declared.shape {
            Shape::Scalar(scalar) => Some(*scalar),
            Shape::Array(element, _) => match **element {
                Shape::Scalar(scalar) => Some(scalar),
                _ => None,
            },
            Shape::Record { .. } => None,
        };
        let Some(scalar) = scalar else {
            variable.initial.iter().for_each(|initial| self.ignored_initial(initial));
            return declared.initial.clone();
        };
        match &variable.initial {
            Some(ast::Initial::Value(value)) => {
                let constant = self.constant_initial(scalar, value, true);
                vec![Initial::Value(constant); slots]
            }
            Some(ast::Initial::List(values, span)) => {
                let mut initial: Vec<Initial> = values
                    .iter()
                    .map(|value| Initial::Value(self.constant_initial(scalar, value, false)))
                    .collect();
                self.fit_list(&mut initial, slots, *span);
                initial
            }
            _ => declared.initial.clone(),
        }
    }

    /// Spin reads an initial value of a struct and does nothing with it.
    pub fn ignored_initial(&mut self, initial: &ast::Initial) {
        let (values, span) = match initial {
            ast::Initial::Value(value) => (std::slice::from_ref(value), value.span),
            ast::Initial::List(values, span) => (&values[..], *span),
            // That was refused.
            ast::Initial::Channel { .. } => return,
        };
        values.iter().for_each(|value| drop(self.expr(value)));
        self.report(
            Diagnostic::warning("ignored-initial-value", span, "the initial value of a struct has no effect")
                .help("give initial values to the fields in the typedef, or assign to them"),
        );
    }

    fn constant_initial(&mut self, scalar: Scalar, value: &ast::Expr, may_load: bool) -> i32 {
        let (expr, kind) = self.expr(value);
        self.check_assignable(Type::of(scalar), kind, value.span);
        match self.constant(&expr, may_load) {
            Some(constant) => {
                self.check_fits(scalar, constant, value.span);
                scalar.truncate(constant)
            }
            None => {
                if kind != Type::Unknown {
                    self.error(
                        "not-constant",
                        value.span,
                        "the value must be known before the system starts",
                    );
                }
                0
            }
        }
    }

    /// A short list repeats its last value; a long one is an error.
    pub fn fit_list<T: Clone>(&mut self, list: &mut Vec<T>, slots: usize, span: Span) {
        if list.len() > slots {
            let message = format!("{} values for an array of {slots}", list.len());
            self.error("too-many-values", span, message);
            list.truncate(slots);
        }
        if let Some(last) = list.last().cloned() {
            list.resize(slots, last);
        }
    }

    /// Gives a name its slots.
    #[allow(clippy::too_many_arguments)]
    pub fn declare_variable(
        &mut self,
        name: &ast::Name,
        scope: Scope,
        shape: Shape,
        base: u32,
        channel: Option<ChannelKindId>,
        exempt: bool,
    ) -> Variable {
        if PREDEFINED.contains(&&*name.text) {
            self.error("reserved-name", name.span, format!("`{}` is predefined", name.text));
        }
        match self.scopes.find_in_innermost(&name.text) {
            Some(Symbol::Mtype(..)) => {
                let message = format!("`{}` is the name of an mtype constant", name.text);
                self.error("duplicate-name", name.span, message);
            }
            Some(Symbol::Variable(first)) => {
                let first = first.span;
                self.redeclared(name.span, format!("`{}` is declared twice", name.text), Some(first));
            }
            None => match self.scopes.find(&name.text) {
                Some(Symbol::Mtype(..)) => {
                    let message = format!("`{}` is the name of an mtype constant", name.text);
                    self.error("duplicate-name", name.span, message);
                }
                _ => {
                    if let Some(first) = self.signatures.get(&name.text) {
                        let first = first.span;
                        let message = format!("`{}` is the name of a proctype", name.text);
                        self.redeclared(name.span, message, Some(first));
                    }
                }
            },
        }
        self.usages.push(Usage { name: name.text.clone(), span: name.span, scope, read: false, exempt });
        let variable = Variable {
            name: name.text.clone(),
            scope,
            shape,
            base,
            span: name.span,
            channel,
            usage: self.usages.len() - 1,
        };
        self.scopes.declare(name.text.clone(), Symbol::Variable(variable.clone()));
        variable
    }

    fn redeclared(&mut self, span: Span, message: String, first: Option<Span>) {
        let diagnostic = Diagnostic::error("duplicate-name", span, message);
        self.report(match first {
            Some(first) => diagnostic.label("again here").also(first, "first declared here"),
            None => diagnostic,
        });
    }

    /// What a declaration makes of one of its names.
    pub fn declared(&mut self, declaration: &ast::Declaration, variable: &ast::Variable) -> Declared {
        let (element, mut initial) = self.element_shape(&declaration.type_name, variable);
        let mut channel = None;
        if let Some(ast::Initial::Channel { capacity, fields, span }) = &variable.initial {
            if element == Shape::Scalar(Scalar::Chan) {
                let kind = self.channel_kind(variable, capacity, fields);
                channel = Some(kind);
                initial = vec![Initial::Channel(kind)];
            } else {
                self.error("type-mismatch", *span, "only a `chan` can be initialised with a channel");
            }
        }
        let Some(length) = &variable.length else {
            if let Some(ast::Initial::List(_, span)) = &variable.initial {
                self.report(
                    Diagnostic::error("not-an-array", *span, "a list of values needs an array")
                        .help(format!("declare it as `{}[n]`", variable.name.text)),
                );
            }
            return Declared { shape: element, initial, channel };
        };
        let length = self.array_length(length, &element);
        let initial = initial.repeat(length as usize);
        let shape = Shape::Array(Arc::new(element), length);
        self.check_size(&shape, &initial, variable.span);
        Declared { shape, initial, channel }
    }

    /// Refuses what no search could handle before it eats the memory.
    fn check_size(&mut self, shape: &Shape, initial: &[Initial], span: Span) {
        let buffers: u64 = initial
            .iter()
            .map(|initial| match initial {
                Initial::Channel(kind) => {
                    let kind = &self.system.channels[kind.index()];
                    kind.capacity as u64 * kind.fields.len().max(1) as u64
                }
                Initial::Value(_) => 0,
            })
            .sum();
        self.total_slots += shape.slots() as u64 + buffers;
        if self.total_slots > MAX_SLOTS as u64 {
            self.report_once(
                Diagnostic::error("too-large", span, "the variables of this model are too large together")
                    .help(format!("at most {MAX_SLOTS} values are possible")),
            );
        }
    }

    fn array_length(&mut self, length: &ast::Expr, element: &Shape) -> u32 {
        if let Some(name) = self.variable_declared_later(length) {
            // Types are declared before variables: here the name is not known, but there is no
            // doubt about it.
            self.named_as_length.insert(name.clone());
            self.length_is_not_constant(length.span, Some(&name));
            return 1;
        }
        let (expr, kind) = self.expr(length);
        if kind == Type::Unknown {
            // What is wrong with it was said.
            return 1;
        }
        let is_known = self.constant(&expr, false).is_some();
        let value = match self.constant(&expr, true) {
            Some(value) if is_known || value > 0 => value,
            _ => {
                let name = match &length.kind {
                    ast::ExprKind::Place(_) => Some(pretty::expr(length)),
                    _ => None,
                };
                self.length_is_not_constant(length.span, name.as_deref());
                return 1;
            }
        };
        if value <= 0 {
            let message = format!("an array cannot have {value} elements");
            self.error("array-length", length.span, message);
            return 1;
        }
        if (value as u32).saturating_mul(element.slots().max(1)) > MAX_SLOTS {
            let message = format!("an array of {value} elements is too large");
            self.error("array-length", length.span, message);
            return 1;
        }
        value as u32
    }

    fn length_is_not_constant(&mut self, span: Span, variable: Option<&str>) {
        let message = match variable {
            Some(name) => format!("the length of an array must be a constant; `{name}` is a variable"),
            None => "the length of an array must be a constant".to_string(),
        };
        self.report(Diagnostic::error("not-constant", span, message).help("write a number or a macro"));
    }

    /// The first name in an expression that is not declared yet and will be a global variable.
    fn variable_declared_later(&self, expr: &ast::Expr) -> Option<Arc<str>> {
        match &expr.kind {
            ast::ExprKind::Place(place) => {
                let name = &place.parts[0].name.text;
                let globals = self.global_names.get_or_init(|| names_of_globals(self.model));
                (self.scopes.find(name).is_none() && globals.contains(name)).then(|| name.clone())
            }
            ast::ExprKind::Unary(_, operand) => self.variable_declared_later(operand),
            ast::ExprKind::Binary(_, a, b) => {
                self.variable_declared_later(a).or_else(|| self.variable_declared_later(b))
            }
            _ => None,
        }
    }

    fn element_shape(
        &mut self,
        type_name: &ast::TypeName,
        variable: &ast::Variable,
    ) -> (Shape, Vec<Initial>) {
        if let (Some(width), false) = (&variable.width, matches!(type_name, ast::TypeName::Unsigned)) {
            self.error("type-mismatch", width.span, "only an `unsigned` has a width in bits");
        }
        let scalar = match type_name {
            ast::TypeName::Unsigned => Scalar::Unsigned(self.unsigned_width(variable)),
            ast::TypeName::Named(name) => match self.typedefs.get(&name.text) {
                Some(typedef) => return (typedef.shape.clone(), typedef.initial.clone()),
                None => {
                    self.unknown_type(name);
                    Scalar::Int
                }
            },
            simple => self.scalar(simple),
        };
        (Shape::Scalar(scalar), Vec::new())
    }

    fn unsigned_width(&mut self, variable: &ast::Variable) -> u8 {
        let Some(width) = &variable.width else {
            self.report(
                Diagnostic::error(
                    "unsigned-width",
                    variable.name.span,
                    "an `unsigned` needs a width in bits",
                )
                .help(format!("write `unsigned {} : 8`", variable.name.text)),
            );
            return 8;
        };
        let (expr, _) = self.expr(width);
        match self.constant(&expr, false) {
            Some(bits @ 1..=31) => bits as u8,
            _ => {
                self.error("unsigned-width", width.span, "the width of an `unsigned` must be from 1 to 31");
                8
            }
        }
    }

    fn unknown_type(&mut self, name: &ast::Name) {
        let names = self.typedefs.keys().map(|name| &**name);
        let close = did_you_mean(&name.text, names).map(str::to_string);
        let diagnostic =
            Diagnostic::error("unknown-type", name.span, format!("there is no type `{}`", name.text));
        self.report(match close {
            Some(close) => diagnostic.help(format!("a type with a similar name exists: `{close}`")),
            None => diagnostic,
        });
    }

    fn scalar(&mut self, type_name: &ast::TypeName) -> Scalar {
        match type_name {
            ast::TypeName::Bit => Scalar::Bit,
            ast::TypeName::Bool => Scalar::Bool,
            ast::TypeName::Byte => Scalar::Byte,
            ast::TypeName::Pid => Scalar::Pid,
            ast::TypeName::Short => Scalar::Short,
            ast::TypeName::Int => Scalar::Int,
            ast::TypeName::Chan => Scalar::Chan,
            ast::TypeName::Mtype(None) => Scalar::Mtype(MtypeId(0)),
            ast::TypeName::Mtype(Some(set)) => match self.mtype_set(&set.text, false) {
                Some(set) => Scalar::Mtype(set),
                None => {
                    self.error("unknown-type", set.span, format!("there is no mtype set `{}`", set.text));
                    Scalar::Mtype(MtypeId(0))
                }
            },
            ast::TypeName::Unsigned | ast::TypeName::Named(_) => Scalar::Int,
        }
    }

    fn channel_kind(
        &mut self,
        variable: &ast::Variable,
        capacity: &ast::Expr,
        fields: &[(ast::TypeName, Span)],
    ) -> ChannelKindId {
        let (expr, kind) = self.expr(capacity);
        let capacity = match self.constant(&expr, false) {
            Some(value @ 0..=0xffff) => value as u32,
            Some(value) => {
                self.error(
                    "channel-capacity",
                    capacity.span,
                    format!("{value} is not a capacity (0 to 65535)"),
                );
                1
            }
            None => {
                if kind != Type::Unknown {
                    self.error("not-constant", capacity.span, "the capacity of a channel must be a constant");
                }
                1
            }
        };
        let fields = fields.iter().flat_map(|(field, span)| self.field_scalars(field, *span)).collect();
        let name = variable.name.text.to_string();
        self.system.channels.push(ChannelKind { name, capacity, fields, span: variable.name.span });
        ChannelKindId(self.system.channels.len() as u32 - 1)
    }

    fn field_scalars(&mut self, field: &ast::TypeName, span: Span) -> Vec<Scalar> {
        match field {
            ast::TypeName::Named(name) => match self.typedefs.get(&name.text) {
                Some(typedef) => typedef.shape.scalars(),
                None => {
                    self.unknown_type(name);
                    vec![Scalar::Int]
                }
            },
            ast::TypeName::Unsigned => {
                self.error("unsigned-field", span, "`unsigned` cannot be the type of a message field");
                vec![Scalar::Int]
            }
            simple => vec![self.scalar(simple)],
        }
    }

    // ---- proctypes

    /// Every proctype gets its number and its parameters, so that a `run` may come before the declaration.
    pub fn declare_proctypes(&mut self) {
        let mut first_init: Option<Span> = None;
        for unit in &self.model.units {
            let ast::Unit::Proctype(proctype) = unit else { continue };
            if proctype.is_init {
                if let Some(first) = first_init {
                    self.redeclared(
                        proctype.name.span,
                        "a model can have only one `init`".to_string(),
                        Some(first),
                    );
                }
                first_init.get_or_insert(proctype.name.span);
            } else if let Some(first) = self.signatures.get(&proctype.name.text) {
                let first = first.span;
                let message = format!("the proctype `{}` is declared twice", proctype.name.text);
                self.redeclared(proctype.name.span, message, Some(first));
            } else if let Some(symbol) = self.scopes.find(&proctype.name.text) {
                let (mut here, mut other) = (proctype.name.span, symbol_span(symbol));
                if let Some(variable) = other.filter(|variable| variable.start > here.start) {
                    (here, other) = (variable, Some(here));
                }
                self.redeclared(here, format!("`{}` is declared twice", proctype.name.text), other);
            }
            self.declare_proctype(proctype);
        }
    }

    fn declare_proctype(&mut self, proctype: &ast::Proctype) {
        let id = ProctypeId(self.system.proctypes.len() as u32);
        let mut parameters = Vec::new();
        for declaration in &proctype.parameters {
            for variable in &declaration.variables {
                if let Some(length) = &variable.length {
                    self.error("array-parameter", length.span, "a parameter cannot be an array");
                }
                if variable.initial.is_some() {
                    self.error(
                        "parameter-initialiser",
                        variable.span,
                        "a parameter cannot have an initial value",
                    );
                }
                let shape = self.element_shape(&declaration.type_name, variable).0;
                parameters.push((variable.name.text.clone(), shape));
            }
        }
        let slots = parameters.iter().map(|(_, shape)| shape.slots()).sum();
        self.system.proctypes.push(Proctype {
            name: proctype.name.text.to_string(),
            frame: Default::default(),
            parameters: slots,
            start: Vec::new(),
            initial: allways_system::LocationId(0),
            locations: Shared::default(),
            transitions: Shared::default(),
            provided: None,
            deterministic: proctype.deterministic,
            exclusive: Vec::new(),
            span: proctype.name.span,
        });
        let signature = Signature { id, parameters, span: proctype.name.span, is_init: proctype.is_init };
        self.signatures.entry(proctype.name.text.clone()).or_insert(signature);
        self.start_processes(proctype, id);
    }

    fn start_processes(&mut self, proctype: &ast::Proctype, id: ProctypeId) {
        let priority = proctype.priority.as_ref().map_or(1, |priority| self.priority(priority));
        let count = match &proctype.active {
            None if proctype.is_init => 1,
            None => {
                if let Some(given) = &proctype.priority {
                    let message = "the priority of a proctype that is not active has no effect";
                    self.report(
                        Diagnostic::warning("unused-priority", given.span, message)
                            .help("give the priority at each `run`"),
                    );
                }
                0
            }
            Some(ast::Active { count: None, .. }) => 1,
            Some(ast::Active { count: Some(count), .. }) => {
                let (expr, kind) = self.expr(count);
                match self.constant(&expr, true) {
                    Some(value @ 0..=255) => value,
                    Some(value) => {
                        let message = format!("{value} instances: at most 255 can be active");
                        self.error("active-count", count.span, message);
                        0
                    }
                    None => {
                        if kind != Type::Unknown {
                            self.error(
                                "not-constant",
                                count.span,
                                "the number of instances must be a constant",
                            );
                        }
                        0
                    }
                }
            }
        };
        for _ in 0..count {
            self.system.processes.push(InitialProcess { proctype: id, priority });
        }
    }

    fn priority(&mut self, priority: &ast::Expr) -> u8 {
        self.system.priorities = true;
        let (expr, kind) = self.expr(priority);
        match self.constant(&expr, false) {
            Some(value @ 1..=255) => value as u8,
            _ => {
                if kind != Type::Unknown {
                    self.error("priority", priority.span, "a priority must be a constant from 1 to 255");
                }
                1
            }
        }
    }

    /// Declares the parameters of a proctype in the innermost scope and in the body's frame.
    pub fn declare_parameters(&mut self, proctype: &ast::Proctype, body: &mut Body) {
        for declaration in &proctype.parameters {
            for variable in &declaration.variables {
                let shape = match &declaration.type_name {
                    ast::TypeName::Named(name) => {
                        let typedef = self.typedefs.get(&name.text);
                        typedef.map_or(Shape::Scalar(Scalar::Int), |typedef| typedef.shape.clone())
                    }
                    // Mistakes in the type were reported with the header.
                    ast::TypeName::Unsigned => {
                        let width = variable.width.as_ref().map(|width| &width.kind);
                        match width {
                            Some(ast::ExprKind::Constant(bits @ 1..=31)) => {
                                Shape::Scalar(Scalar::Unsigned(*bits as u8))
                            }
                            _ => Shape::Scalar(Scalar::Unsigned(8)),
                        }
                    }
                    ast::TypeName::Mtype(Some(set)) => {
                        let set = self.mtype_sets.get(&set.text).copied();
                        Shape::Scalar(Scalar::Mtype(set.unwrap_or(MtypeId(0))))
                    }
                    simple => Shape::Scalar(self.scalar(simple)),
                };
                let base = body.frame.push(&*variable.name.text, shape.clone(), variable.name.span);
                let declared = self.declare_variable(&variable.name, Scope::Local, shape, base, None, false);
                body.variables.push(declared);
            }
        }
    }

    fn refuse_embedded_c(&mut self) {
        let places = std::mem::take(&mut self.embedded_c);
        let Some((first, others)) = places.split_first() else { return };
        let message = format!("embedded C (`{}`) is not supported", first.keyword);
        let mut diagnostic = Diagnostic::error("embedded-c", first.span, message)
            .help("express it in Promela: Allways checks the model itself, without a C compiler");
        for other in others.iter().take(4) {
            diagnostic = diagnostic.also(other.span, "also here");
        }
        if others.len() > 4 {
            diagnostic = diagnostic.help(format!("there are {} such places", places.len()));
        }
        self.report(diagnostic);
    }

    /// The value of an expression that can be computed now; `may_load`: also from the first values of globals.
    pub fn constant(&self, expr: &Expr, may_load: bool) -> Option<i32> {
        Some(match expr {
            Expr::Constant(value) => *value,
            Expr::Load(Place { scope: Scope::Global, base, indices, .. })
                if may_load && indices.is_empty() =>
            {
                let variables = &self.system.globals.variables;
                let variable = &variables[variables.partition_point(|variable| variable.base <= *base) - 1];
                match variable.initial.get((base - variable.base) as usize) {
                    Some(Initial::Value(value)) => *value,
                    Some(Initial::Channel(_)) => return None,
                    None => 0,
                }
            }
            Expr::Unary(op, a) => op.apply(self.constant(a, may_load)?) as i32,
            Expr::Binary(op, operands) => {
                let (a, b) = (self.constant(&operands.0, may_load)?, self.constant(&operands.1, may_load)?);
                op.apply(a, b)? as i32
            }
            Expr::Conditional(parts) => {
                let chosen = if self.constant(&parts.0, may_load)? != 0 { &parts.1 } else { &parts.2 };
                self.constant(chosen, may_load)?
            }
            _ => return None,
        })
    }
}

fn symbol_span(symbol: &Symbol) -> Option<Span> {
    match symbol {
        Symbol::Variable(variable) => Some(variable.span),
        Symbol::Mtype(..) => None,
    }
}

fn names_of_globals(model: &ast::Model) -> HashSet<Arc<str>> {
    let declarations = model.units.iter().filter_map(|unit| match unit {
        ast::Unit::Variables(declaration) => Some(declaration),
        _ => None,
    });
    let variables = declarations.flat_map(|declaration| &declaration.variables);
    variables.map(|variable| variable.name.text.clone()).collect()
}

/// All embedded C of a model.
pub fn embedded_c(model: &ast::Model) -> Vec<ast::EmbeddedC> {
    let mut places = Vec::new();
    model.units.iter().for_each(|unit| embedded_c_of(unit, &mut places));
    places.dedup();
    places
}

fn embedded_c_of(unit: &ast::Unit, places: &mut Vec<ast::EmbeddedC>) {
    match unit {
        ast::Unit::EmbeddedC(embedded) => places.push(embedded.clone()),
        ast::Unit::Proctype(proctype) => embedded_c_in(&proctype.body, places),
        ast::Unit::Never(claim) => embedded_c_in(&claim.body, places),
        _ => {}
    }
}

fn embedded_c_in(block: &ast::Block, places: &mut Vec<ast::EmbeddedC>) {
    block.statements.iter().for_each(|statement| embedded_c_in_statement(statement, places));
}

fn embedded_c_in_statement(statement: &ast::Statement, places: &mut Vec<ast::EmbeddedC>) {
    use ast::StatementKind as K;
    match &statement.kind {
        K::EmbeddedC(embedded) => places.push(embedded.clone()),
        K::Expression(ast::Expr { kind: ast::ExprKind::EmbeddedC(embedded), .. }) => {
            places.push(embedded.clone());
        }
        K::If(options) | K::Do(options) => {
            options.iter().for_each(|option| embedded_c_in(option, places));
        }
        K::Atomic(body) | K::DStep(body) | K::Block(body) => embedded_c_in(body, places),
        K::ForRange { body, .. } | K::ForIn { body, .. } => embedded_c_in(body, places),
        K::Inline(call) => embedded_c_in(&call.body, places),
        K::Unless { main, escape } => {
            embedded_c_in_statement(main, places);
            embedded_c_in_statement(escape, places);
        }
        _ => {}
    }
}
