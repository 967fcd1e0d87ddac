//! From the syntax tree to a system: names, types, control.
//!
//! Read in this order: `declarations.rs` (what the names stand for), `expressions.rs`, `statements.rs` (one function
//! per kind of statement; `locals.rs` and `loops.rs` have the longer ones), `control.rs` and `points.rs` (where control
//! rests), `properties.rs` (claims, formulas, traces). Mistakes
//! are reported where they are found; lowering goes on with a stand-in, and the system is handed out only if there
//! were none.

mod control;
mod declarations;
mod expressions;
mod format;
mod locals;
mod loops;
mod points;
mod properties;
mod references;
mod statements;
mod symbols;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use allways_source::{Diagnostic, Span};
use allways_system::{LocationId, Scope, System};

use crate::ast;
pub use control::UnlessOrder;
use references::{LabelReference, VariableReference};
use symbols::{Scopes, Signature, Usage};

/// What a system can be lowered with.
#[derive(Clone, Copy, Default, Debug)]
pub struct LowerOptions {
    pub unless: UnlessOrder,
}

/// A system, if there were no errors, and what is to be said about the model.
pub struct Lowered {
    pub system: Option<System>,
    pub diagnostics: Vec<Diagnostic>,
}

pub fn lower(mut model: ast::Model, options: &LowerOptions) -> Lowered {
    let embedded_c = declarations::embedded_c(&model);
    if model.looks_at_labels {
        let bodies = || bodies(&model).map(Cow::Borrowed);
        let mut lowering = Lowering::new(&model, *options, embedded_c.clone());
        lowering.lower_all(bodies());
        if !lowering.label_references.is_empty() {
            // A goto with a label that somebody looks at is a point of control. Who looks is known
            // only now.
            let watched_labels = lowering.watched_labels();
            lowering = Lowering::new(&model, *options, embedded_c);
            lowering.watched_labels = watched_labels;
            lowering.lower_all(bodies());
        }
        return lowering.finish();
    }
    // Each body is lowered once, and takes much memory.
    let bodies: Vec<ast::Block> = model.units.iter_mut().filter_map(taken_body).collect();
    let mut lowering = Lowering::new(&model, *options, embedded_c);
    lowering.lower_all(bodies.into_iter().map(Cow::Owned));
    lowering.finish()
}

fn taken_body(unit: &mut ast::Unit) -> Option<ast::Block> {
    let ast::Unit::Proctype(ast::Proctype { body, .. }) = unit else { return None };
    let span = body.span;
    Some(std::mem::replace(body, ast::Block { statements: Vec::new(), span }))
}

fn bodies(model: &ast::Model) -> impl Iterator<Item = &ast::Block> {
    model.units.iter().filter_map(|unit| match unit {
        ast::Unit::Proctype(proctype) => Some(&proctype.body),
        _ => None,
    })
}

/// The state of lowering.
struct Lowering<'a> {
    model: &'a ast::Model,
    options: LowerOptions,
    /// All there is; refused.
    embedded_c: Vec<ast::EmbeddedC>,
    system: System,
    diagnostics: Vec<Diagnostic>,
    scopes: Scopes,
    typedefs: HashMap<Arc<str>, declarations::Typedef>,
    mtype_sets: HashMap<Arc<str>, allways_system::MtypeId>,
    signatures: HashMap<Arc<str>, Signature>,
    usages: Vec<Usage>,
    /// Variables that were taken for the length of an array before they were declared.
    named_as_length: HashSet<Arc<str>>,
    /// Filled when first asked for.
    global_names: OnceCell<HashSet<Arc<str>>>,
    /// Of all arrays and their channels' buffers so far.
    total_slots: u64,
    label_references: Vec<LabelReference>,
    variable_references: Vec<VariableReference>,
    /// Proctype and name of every label that some other process looks at.
    watched_labels: HashSet<(Arc<str>, Arc<str>)>,
    /// Labels of each proctype, by name, once it is lowered; without a location if no process can get there.
    labels: Vec<HashMap<String, Option<LocationId>>>,
    /// The names of the local variables of each proctype, for remote references.
    remote_variables: Vec<Vec<symbols::Variable>>,
    /// The texts of statements so far.
    texts: HashSet<Arc<str>>,
    /// What was already said of the current statement, of what need not be said twice.
    said_of_statement: HashSet<&'static str>,
    /// What is being lowered, if it is inside a body.
    body: Option<statements::Body>,
    /// What is being lowered, in words, if it is a property: no process executes it.
    property: Option<&'static str>,
}

impl<'a> Lowering<'a> {
    fn new(model: &'a ast::Model, options: LowerOptions, embedded_c: Vec<ast::EmbeddedC>) -> Lowering<'a> {
        let mut scopes = Scopes::default();
        scopes.enter();
        Lowering {
            model,
            options,
            embedded_c,
            system: System { mtypes: vec![allways_system::Mtype::default()], ..System::default() },
            diagnostics: Vec::new(),
            scopes,
            typedefs: HashMap::new(),
            mtype_sets: HashMap::new(),
            signatures: HashMap::new(),
            usages: Vec::new(),
            named_as_length: HashSet::new(),
            global_names: OnceCell::new(),
            total_slots: 0,
            label_references: Vec::new(),
            variable_references: Vec::new(),
            watched_labels: HashSet::new(),
            labels: Vec::new(),
            remote_variables: Vec::new(),
            texts: HashSet::new(),
            said_of_statement: HashSet::new(),
            body: None,
            property: None,
        }
    }

    fn lower_all<'b>(&mut self, bodies: impl Iterator<Item = Cow<'b, ast::Block>>) {
        self.declare_types();
        self.declare_globals();
        self.declare_proctypes();
        self.lower_bodies(bodies);
        self.lower_properties();
    }

    fn watched_labels(&self) -> HashSet<(Arc<str>, Arc<str>)> {
        let watched = |reference: &LabelReference| {
            let proctype = &self.system.proctypes[reference.proctype.index()].name;
            (proctype.as_str().into(), reference.label.text.clone())
        };
        self.label_references.iter().map(watched).collect()
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(code, span, message));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// For mistakes of which one statement easily has two, e.g. on both sides of an assignment.
    fn report_once(&mut self, diagnostic: Diagnostic) {
        if self.said_of_statement.insert(diagnostic.code) {
            self.report(diagnostic);
        }
    }

    fn finish(mut self) -> Lowered {
        if self.system.processes.is_empty() && self.diagnostics.iter().all(|d| !d.is_error()) {
            let span = Span::new(allways_source::FileId(0), 0, 0);
            self.report(
                Diagnostic::error("no-process", span, "the model has no process to run")
                    .help("add an `init { … }` or make a proctype `active`"),
            );
        }
        self.resolve_references();
        self.warn_about_unread_variables();
        // An inline that is called twice would repeat every message about its body.
        let mut seen = HashSet::new();
        self.diagnostics.retain(|d| seen.insert((d.code, d.primary.span, d.message.clone())));
        let failed = self.diagnostics.iter().any(Diagnostic::is_error);
        Lowered { system: (!failed).then_some(self.system), diagnostics: self.diagnostics }
    }

    fn warn_about_unread_variables(&mut self) {
        let unread: Vec<Usage> =
            self.usages.iter().filter(|usage| !usage.read && !usage.exempt).cloned().collect();
        for usage in unread {
            let help = match usage.scope {
                Scope::Global => "with --plain it makes states differ; remove it, or declare it `hidden`",
                Scope::Local => "with --plain it makes states differ; remove it",
            };
            let message = format!("`{}` is never read", usage.name);
            self.report(Diagnostic::warning("never-read", usage.span, message).help(help));
        }
    }
}
