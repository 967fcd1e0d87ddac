//! A compact text of the syntax tree, for tests.

use std::fmt::Write;

use crate::ast::{
    Block, Declaration, Initial, Model, Name, Proctype, Statement, StatementKind, TypeName, Unit, Variable,
};
use crate::pretty;

/// One line per unit or statement; bodies are indented.
pub(super) fn dump(model: &Model) -> String {
    let mut dump = Dump { text: String::new(), depth: 0 };
    for unit in &model.units {
        dump.unit(unit);
    }
    dump.text
}

struct Dump {
    text: String,
    depth: usize,
}

impl Dump {
    fn line(&mut self, line: impl AsRef<str>) {
        writeln!(self.text, "{:1$}{2}", "", 2 * self.depth, line.as_ref()).unwrap();
    }

    fn unit(&mut self, unit: &Unit) {
        match unit {
            Unit::Proctype(proctype) => {
                self.line(header(proctype));
                self.block(&proctype.body);
            }
            Unit::Never(claim) => {
                self.line(format!("never{}", optional(&claim.name)));
                self.block(&claim.body);
            }
            Unit::Trace(trace) => {
                let keyword = if trace.forbidden { "notrace" } else { "trace" };
                self.line(format!("{keyword}{}", optional(&trace.name)));
                self.block(&trace.body);
            }
            Unit::Ltl(ltl) => {
                self.line(format!("ltl{} {}", optional(&ltl.name), pretty::expr(&ltl.formula)));
            }
            Unit::Typedef(typedef) => {
                self.line(format!("typedef {}", typedef.name.text));
                self.depth += 1;
                typedef.fields.iter().for_each(|field| self.line(declaration(field)));
                self.depth -= 1;
            }
            Unit::Mtype(mtype) => {
                let set = mtype.set.as_ref().map_or(String::new(), |set| format!(":{}", set.text));
                let names: Vec<&str> = mtype.names.iter().map(|name| &*name.text).collect();
                self.line(format!("mtype{set} = {{{}}}", names.join(",")));
            }
            Unit::Variables(variables) => self.line(declaration(variables)),
            Unit::EmbeddedC(code) => self.line(format!("{} {{...}}", code.keyword)),
        }
    }

    fn block(&mut self, block: &Block) {
        self.depth += 1;
        block.statements.iter().for_each(|statement| self.statement(statement));
        self.depth -= 1;
    }

    fn statement(&mut self, statement: &Statement) {
        let labels: String = statement.labels.iter().map(|label| format!("{}: ", label.text)).collect();
        let text = match &statement.kind {
            StatementKind::Declaration(variables) => declaration(variables),
            StatementKind::Inline(call) => match &call.result {
                Some(result) => format!("{} = {}(...)", pretty::place(result), call.name.text),
                None => pretty::statement(&statement.kind),
            },
            StatementKind::ForRange { variable, from, to, .. } => {
                format!("for {} : {} .. {}", pretty::place(variable), pretty::expr(from), pretty::expr(to))
            }
            StatementKind::ForIn { variable, collection, .. } => {
                format!("for {} in {}", pretty::place(variable), pretty::place(collection))
            }
            kind => pretty::statement(kind),
        };
        self.line(format!("{labels}{text}"));
        self.parts(&statement.kind);
    }

    fn parts(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::If(options) | StatementKind::Do(options) => {
                self.depth += 1;
                for option in options {
                    self.line("::");
                    self.block(option);
                }
                self.depth -= 1;
            }
            StatementKind::Atomic(body) | StatementKind::DStep(body) | StatementKind::Block(body) => {
                self.block(body)
            }
            StatementKind::ForRange { body, .. } | StatementKind::ForIn { body, .. } => self.block(body),
            StatementKind::Inline(call) => self.block(&call.body),
            StatementKind::Unless { main, escape } => {
                self.depth += 1;
                self.statement(main);
                self.statement(escape);
                self.depth -= 1;
            }
            _ => {}
        }
    }
}

fn header(proctype: &Proctype) -> String {
    let mut text = String::new();
    match proctype.active.as_ref().map(|active| &active.count) {
        None => {}
        Some(None) => text += "active ",
        Some(Some(count)) => text += &format!("active [{}] ", pretty::expr(count)),
    }
    text += match (proctype.is_init, proctype.deterministic) {
        (true, _) => "",
        (_, true) => "D_proctype ",
        (_, false) => "proctype ",
    };
    text += &proctype.name.text;
    if !proctype.is_init {
        let parameters: Vec<String> = proctype.parameters.iter().map(declaration).collect();
        text += &format!("({})", parameters.join("; "));
    }
    if let Some(priority) = &proctype.priority {
        text += &format!(" priority {}", pretty::expr(priority));
    }
    if let Some(condition) = &proctype.provided {
        text += &format!(" provided {}", pretty::expr(condition));
    }
    text
}

fn optional(name: &Option<Name>) -> String {
    name.as_ref().map_or(String::new(), |name| format!(" {}", name.text))
}

fn declaration(declaration: &Declaration) -> String {
    let visibility = declaration.visibility.map_or(String::new(), |v| format!("{v:?} ").to_lowercase());
    let variables: Vec<String> = declaration.variables.iter().map(variable).collect();
    format!("{visibility}{} {}", type_name(&declaration.type_name), variables.join(", "))
}

fn variable(variable: &Variable) -> String {
    let mut text = variable.name.text.to_string();
    if let Some(width) = &variable.width {
        text += &format!(" : {}", pretty::expr(width));
    }
    if let Some(length) = &variable.length {
        text += &format!("[{}]", pretty::expr(length));
    }
    match &variable.initial {
        None => {}
        Some(Initial::Value(value)) => text += &format!(" = {}", pretty::expr(value)),
        Some(Initial::List(values, _)) => {
            let values: Vec<String> = values.iter().map(pretty::expr).collect();
            text += &format!(" = {{{}}}", values.join(","));
        }
        Some(Initial::Channel { capacity, fields, .. }) => {
            let fields: Vec<String> = fields.iter().map(|(field, _)| type_name(field)).collect();
            text += &format!(" = [{}] of {{{}}}", pretty::expr(capacity), fields.join(","));
        }
    }
    text
}

fn type_name(type_name: &TypeName) -> String {
    match type_name {
        TypeName::Named(name) => name.text.to_string(),
        TypeName::Mtype(Some(set)) => format!("mtype:{}", set.text),
        TypeName::Mtype(None) => "mtype".to_string(),
        basic => format!("{basic:?}").to_lowercase(),
    }
}
