//! Which constructs a model contains, to see that the generator reaches all of them and how often.

use std::collections::BTreeSet;

use super::statements::SCOPED_NAME;
use super::tree::*;
use super::walk::{Visitor, walk};

/// Everything that [`constructs`] can report; the generator's tests demand that each occurs.
pub const CONSTRUCTS: &[&str] = &[
    "D_proctype",
    "_last",
    "_nr_pr",
    "_pid",
    "accept label",
    "active [n]",
    "array",
    "array initialiser list",
    "assert",
    "atomic",
    "atomics in a row",
    "bit",
    "block",
    "bool",
    "break first in option",
    "buffered channel",
    "byte",
    "channel array",
    "channel in message",
    "channel parameter",
    "channel passed to inline",
    "conditional expression",
    "constant in receive",
    "copy receive",
    "d_step",
    "d_step in atomic",
    "decrement",
    "division",
    "do",
    "else with receive",
    "else with send",
    "empty",
    "end label",
    "eval in receive",
    "for",
    "for in",
    "full",
    "get_priority",
    "goto",
    "goto first in option",
    "goto in atomic",
    "if",
    "ignore in receive",
    "increment",
    "index out of range",
    "init",
    "inline call",
    "innermost unless",
    "int",
    "label",
    "len",
    "local channel",
    "lossy channels",
    "mid-body declaration",
    "mtype",
    "nempty",
    "nested compound first in option",
    "nested unless",
    "nfull",
    "parameter",
    "pid",
    "poll",
    "printf",
    "priority",
    "progress label",
    "provided",
    "random poll",
    "random receive",
    "receive",
    "rendezvous channel",
    "run",
    "run in atomic",
    "run in proctype",
    "scoped name",
    "select",
    "send",
    "set_priority",
    "shift",
    "short",
    "skip run",
    "sorted send",
    "strict end",
    "tagged send",
    "timeout",
    "typedef",
    "typedef array",
    "typedef in typedef",
    "unless",
    "unless in atomic",
    "unsigned",
];

/// The constructs in a model, as named in [`CONSTRUCTS`].
pub fn constructs(model: &Model) -> BTreeSet<&'static str> {
    let mut census = Census::default();
    census.mark_if(model.semantics.lossy, "lossy channels");
    census.mark_if(model.semantics.strict_end, "strict end");
    census.mark_if(model.semantics.innermost_unless, "innermost unless");
    for typedef in &model.typedefs {
        census.mark("typedef");
        let nested = typedef.fields.iter().any(|field| matches!(field.ty, Type::Struct(_)));
        census.mark_if(nested, "typedef in typedef");
    }
    for proctype in &model.proctypes {
        census.proctype(proctype);
    }
    walk(&mut model.clone(), &mut census);
    census.found
}

#[derive(Default)]
struct Census {
    found: BTreeSet<&'static str>,
}

impl Census {
    fn mark(&mut self, construct: &'static str) {
        self.found.insert(construct);
    }

    fn mark_if(&mut self, condition: bool, construct: &'static str) {
        if condition {
            self.mark(construct);
        }
    }

    fn proctype(&mut self, proctype: &Proctype) {
        self.mark_if(proctype.kind == ProctypeKind::Init, "init");
        self.mark_if(matches!(proctype.kind, ProctypeKind::Active(2..)), "active [n]");
        self.mark_if(!proctype.params.is_empty(), "parameter");
        self.mark_if(proctype.params.iter().any(|param| param.ty == Type::Chan), "channel parameter");
        let local_channel = |local: &Decl| matches!(local.init, Some(Init::Channel { .. }));
        self.mark_if(proctype.locals.iter().any(local_channel), "local channel");
        self.mark_if(proctype.priority.is_some(), "priority");
        self.mark_if(proctype.provided.is_some(), "provided");
        self.mark_if(proctype.deterministic, "D_proctype");
        if proctype.kind != ProctypeKind::Init && contains(&proctype.body, is_run) {
            self.mark("run in proctype");
        }
    }

    fn option_guard(&mut self, guard: &Stmt) {
        match guard {
            Stmt::Goto(_) => self.mark("goto first in option"),
            Stmt::Break => self.mark("break first in option"),
            Stmt::If(_) | Stmt::Do(_) | Stmt::Atomic(_) | Stmt::Block(_) | Stmt::Unless(..) => {
                self.mark("nested compound first in option");
            }
            _ => {}
        }
    }

    fn label(&mut self, label: &str) {
        self.mark(match label {
            _ if label.starts_with("end") => "end label",
            _ if label.starts_with("progress") => "progress label",
            _ if label.starts_with("accept") => "accept label",
            _ => "label",
        });
    }
}

impl Visitor for Census {
    fn declaration(&mut self, decl: &mut Decl) {
        self.mark_if(decl.len.is_some() && decl.ty != Type::Chan, "array");
        self.mark_if(matches!(decl.init, Some(Init::List(_))), "array initialiser list");
        match (&decl.ty, &decl.init) {
            (Type::Bit, _) => self.mark("bit"),
            (Type::Bool, _) => self.mark("bool"),
            (Type::Byte, _) => self.mark("byte"),
            (Type::Short, _) => self.mark("short"),
            (Type::Int, _) => self.mark("int"),
            (Type::Unsigned(_), _) => self.mark("unsigned"),
            (Type::Mtype, _) => self.mark("mtype"),
            (Type::Pid, _) => self.mark("pid"),
            (Type::Struct(_), _) => self.mark_if(decl.len.is_some(), "typedef array"),
            (Type::Chan, Some(Init::Channel { capacity, fields })) => {
                self.mark(if *capacity == 0 { "rendezvous channel" } else { "buffered channel" });
                self.mark_if(fields.contains(&Type::Chan), "channel in message");
                self.mark_if(decl.len.is_some(), "channel array");
            }
            (Type::Chan, _) => {}
        }
    }

    fn body(&mut self, body: &mut Vec<Stmt>) {
        for pair in body.windows(2) {
            match pair {
                [Stmt::Atomic(_), Stmt::Atomic(_)] => self.mark("atomics in a row"),
                [Stmt::Skip, Stmt::Skip] => self.mark("skip run"),
                _ => {}
            }
        }
    }

    fn options(&mut self, options: &mut Vec<Vec<Stmt>>) {
        let guards = || options.iter().filter_map(|option| option.first());
        guards().for_each(|guard| self.option_guard(guard));
        if guards().any(|guard| matches!(guard, Stmt::Else)) {
            self.mark_if(guards().any(|guard| matches!(guard, Stmt::Send(_))), "else with send");
            self.mark_if(guards().any(|guard| matches!(guard, Stmt::Receive(_))), "else with receive");
        }
    }

    fn statement(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Increment(_) => self.mark("increment"),
            Stmt::Decrement(_) => self.mark("decrement"),
            Stmt::Assert(_) => self.mark("assert"),
            Stmt::Print(_) => self.mark("printf"),
            Stmt::SetPriority(..) => self.mark("set_priority"),
            Stmt::Send(send) => {
                self.mark(if send.sorted { "sorted send" } else { "send" });
                self.mark_if(send.tagged && send.args.len() > 1, "tagged send");
            }
            Stmt::Receive(receive) => {
                self.mark(if receive.random { "random receive" } else { "receive" });
                self.mark_if(receive.copy, "copy receive");
            }
            Stmt::Run { .. } => self.mark("run"),
            Stmt::If(_) => self.mark("if"),
            Stmt::Do(_) => self.mark("do"),
            Stmt::For { .. } => self.mark("for"),
            Stmt::ForIn { .. } => self.mark("for in"),
            Stmt::Select { .. } => self.mark("select"),
            Stmt::Atomic(body) => {
                self.mark("atomic");
                self.mark_if(contains(body, is_run), "run in atomic");
                self.mark_if(contains(body, |stmt| matches!(stmt, Stmt::Goto(_))), "goto in atomic");
                self.mark_if(contains(body, |stmt| matches!(stmt, Stmt::Unless(..))), "unless in atomic");
                self.mark_if(contains(body, |stmt| matches!(stmt, Stmt::DStep(_))), "d_step in atomic");
            }
            Stmt::DStep(_) => self.mark("d_step"),
            Stmt::Block(_) => self.mark("block"),
            Stmt::Unless(main, _) => {
                self.mark("unless");
                self.mark_if(contains(main, |stmt| matches!(stmt, Stmt::Unless(..))), "nested unless");
            }
            Stmt::Call { args, .. } => {
                self.mark("inline call");
                let channel = |arg: &Expr| matches!(arg, Expr::Place(place) if is_channel(place));
                self.mark_if(args.iter().any(channel), "channel passed to inline");
            }
            Stmt::Declare(decl) => {
                self.mark("mid-body declaration");
                self.mark_if(decl.name == SCOPED_NAME, "scoped name");
            }
            Stmt::Goto(_) => self.mark("goto"),
            Stmt::Labelled(label, _) => self.label(label),
            Stmt::Assign(..) | Stmt::Guard(_) | Stmt::Else | Stmt::Skip | Stmt::Break => {}
        }
    }

    fn expression(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Pid => self.mark("_pid"),
            Expr::NrPr => self.mark("_nr_pr"),
            Expr::Last => self.mark("_last"),
            Expr::Timeout => self.mark("timeout"),
            Expr::Len(_) => self.mark("len"),
            Expr::Query(Query::Empty, _) => self.mark("empty"),
            Expr::Query(Query::Full, _) => self.mark("full"),
            Expr::Query(Query::NotEmpty, _) => self.mark("nempty"),
            Expr::Query(Query::NotFull, _) => self.mark("nfull"),
            Expr::Poll { random, .. } => self.mark(if *random { "random poll" } else { "poll" }),
            Expr::GetPriority(_) => self.mark("get_priority"),
            Expr::Divide { .. } => self.mark("division"),
            Expr::Conditional(..) => self.mark("conditional expression"),
            Expr::Binary(BinaryOp::ShiftLeft | BinaryOp::ShiftRight, ..) => self.mark("shift"),
            Expr::Place(place) => {
                let raw = |segment: &Segment| segment.index.as_ref().is_some_and(|index| index.raw);
                self.mark_if(place.segments.iter().any(raw), "index out of range");
            }
            Expr::Const(_) | Expr::Mtype(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Masked { .. } => {}
            Expr::At { .. } => {}
        }
    }

    fn pattern(&mut self, pattern: &mut Pattern) {
        match pattern {
            Pattern::Const(_) | Pattern::Mtype(_) => self.mark("constant in receive"),
            Pattern::Eval(_) => self.mark("eval in receive"),
            Pattern::Ignore => self.mark("ignore in receive"),
            Pattern::Store(_) => {}
        }
    }
}

/// Whether a statement of the kind occurs anywhere in the body.
fn contains(body: &[Stmt], kind: impl Fn(&Stmt) -> bool) -> bool {
    struct Search<F>(F, bool);
    impl<F: Fn(&Stmt) -> bool> Visitor for Search<F> {
        fn statement(&mut self, stmt: &mut Stmt) {
            self.1 |= (self.0)(stmt);
        }
    }
    let mut search = Search(kind, false);
    super::walk::walk_body(&mut body.to_vec(), &mut search);
    search.1
}

fn is_run(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Run { .. })
}

/// Names of channels are recognised by their first letter: global `c`, local `l`, received `d`.
fn is_channel(place: &Place) -> bool {
    place.segments[0].name.starts_with(['c', 'l', 'd'])
}
