//! Macro definitions: what `#define` says, taken apart once so that expanding is simple.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use allways_source::{Diagnostic, Span};

use crate::lexer::{Interner, Lexeme, LexemeKind, LineStart};

/// Index into [`MacroTable`]; stays valid after `#undef`, since an expansion may be under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MacroId(usize);

pub(super) struct Macro {
    pub(super) name: Arc<str>,
    /// The name in its `#define`; `None` if predefined.
    pub(super) defined_at: Option<Span>,
    pub(super) meaning: Meaning,
    /// It is being expanded, and its name in the expansion is to be left alone.
    pub(super) disabled: bool,
}

/// Cheap to clone, since the table may change while an expansion is under way.
#[derive(Clone)]
pub(super) enum Meaning {
    Object(Rc<[Piece]>),
    Function(Rc<Parameters>, Rc<[Piece]>),
    /// `__FILE__`
    File,
    /// `__LINE__`
    Line,
}

#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Parameters {
    /// The last one is `__VA_ARGS__` (or what a `name...` calls it) if `variadic`.
    pub(super) names: Vec<Arc<str>>,
    pub(super) variadic: bool,
}

impl Parameters {
    pub(super) fn is_variable_part(&self, parameter: usize) -> bool {
        self.variadic && parameter + 1 == self.names.len()
    }

    pub(super) fn accepts(&self, n_arguments: usize) -> bool {
        let n_names = self.names.len();
        n_arguments == n_names || self.variadic && n_arguments + 1 >= n_names
    }
}

/// A part of a macro's body. The operators `#` and `##` are gone; the pieces know.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) kind: PieceKind,
    pub(super) lexeme: Lexeme,
    /// A `##` joins it to the next piece; never set in the last piece.
    pub(super) pasted: bool,
}

/// The numbers are indices of parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PieceKind {
    Plain,
    Parameter(usize),
    /// `#x`
    Stringified(usize),
}

pub(super) struct MacroTable {
    macros: Vec<Macro>,
    by_name: HashMap<Arc<str>, MacroId>,
}

impl MacroTable {
    pub(super) fn new(interner: &mut Interner) -> MacroTable {
        let mut table = MacroTable { macros: Vec::new(), by_name: HashMap::new() };
        for (name, meaning) in [("__FILE__", Meaning::File), ("__LINE__", Meaning::Line)] {
            let name = interner.intern(name);
            table.insert(Macro { name, defined_at: None, meaning, disabled: false });
        }
        table
    }

    pub(super) fn find(&self, name: &str) -> Option<MacroId> {
        self.by_name.get(name).copied()
    }

    pub(super) fn get(&self, id: MacroId) -> &Macro {
        &self.macros[id.0]
    }

    pub(super) fn get_mut(&mut self, id: MacroId) -> &mut Macro {
        &mut self.macros[id.0]
    }

    /// Defines a macro; complains if that changes what its name means.
    pub(super) fn define(&mut self, new: Macro) -> Option<Diagnostic> {
        let old = self.find(&new.name).map(|id| self.get(id));
        let complaint = old.filter(|old| !same_definition(old, &new)).and_then(|old| redefinition(old, &new));
        self.insert(new);
        complaint
    }

    pub(super) fn undefine(&mut self, name: &str) {
        self.by_name.remove(name);
    }

    fn insert(&mut self, new: Macro) {
        self.by_name.insert(new.name.clone(), MacroId(self.macros.len()));
        self.macros.push(new);
    }
}

fn same_definition(old: &Macro, new: &Macro) -> bool {
    match (&old.meaning, &new.meaning) {
        (Meaning::Object(old), Meaning::Object(new)) => same_body(old, new),
        (Meaning::Function(old_parameters, old), Meaning::Function(new_parameters, new)) => {
            old_parameters == new_parameters && same_body(old, new)
        }
        _ => false,
    }
}

fn same_body(old: &[Piece], new: &[Piece]) -> bool {
    let shape =
        |piece: &Piece| (piece.kind, piece.lexeme.text.clone(), piece.lexeme.space_before, piece.pasted);
    old.iter().map(shape).eq(new.iter().map(shape))
}

fn redefinition(old: &Macro, new: &Macro) -> Option<Diagnostic> {
    let message = format!("the macro `{}` is defined again, with another meaning", new.name);
    let warning = Diagnostic::warning("macro-redefined", new.defined_at?, message)
        .help(format!("say `#undef {}` before, if that is intended", new.name));
    Some(match old.defined_at {
        Some(span) => warning.also(span, "first defined here"),
        None => warning,
    })
}

/// The macro which a `#define` introduces; `line` is what follows the word `define`, and `directive` is where it
/// is. There is a macro even if the definition is wrong, unless it has no name: its uses are not to be complained
/// about as well.
pub(super) fn parse_definition(
    directive: Span,
    line: &[Lexeme],
    interner: &mut Interner,
) -> (Option<Macro>, Vec<Diagnostic>) {
    let mut complaints = Vec::new();
    let name = match macro_name(directive, line) {
        Ok(name) => name,
        Err(complaint) => return (None, vec![complaint]),
    };
    let rest = &line[1..];
    let is_function_like = rest.first().is_some_and(|lexeme| lexeme.is("(") && !lexeme.space_before);
    let meaning = if is_function_like {
        let (parameters, body) = match parse_parameters(rest, interner) {
            Ok((parameters, length)) => {
                let body = parse_body(&rest[length..], Some(&parameters), &mut complaints);
                (parameters, body)
            }
            Err(complaint) => {
                complaints.push(complaint);
                takes_anything(name, interner)
            }
        };
        Meaning::Function(Rc::new(parameters), body.into())
    } else {
        Meaning::Object(parse_body(rest, None, &mut complaints).into())
    };
    let name_text = name.text.clone();
    let defined = Macro { name: name_text, defined_at: Some(name.span), meaning, disabled: false };
    (Some(defined), complaints)
}

/// The name that has to follow `#define`, `#undef`, `#ifdef` and `#ifndef`.
pub(super) fn macro_name(directive: Span, line: &[Lexeme]) -> Result<&Lexeme, Diagnostic> {
    let Some(name) = line.first() else {
        return Err(Diagnostic::error(
            "missing-macro-name",
            directive,
            "the name of a macro is missing here",
        ));
    };
    let complain = |message| Err(Diagnostic::error("bad-macro-name", name.span, message));
    match &*name.text {
        "defined" | "__VA_ARGS__" => complain(format!("`{}` cannot be the name of a macro", name.text)),
        _ if name.is_name() => Ok(name),
        text => complain(format!("the name of a macro is expected here, not `{text}`")),
    }
}

/// A stand-in for a macro whose parameters we did not understand: `(...)` and the body `1`.
fn takes_anything(name: &Lexeme, interner: &mut Interner) -> (Parameters, Vec<Piece>) {
    let parameters = Parameters { names: vec![interner.intern("__VA_ARGS__")], variadic: true };
    let one = Lexeme {
        kind: LexemeKind::Number,
        text: interner.intern("1"),
        line_start: LineStart::No,
        space_before: false,
        ..name.clone()
    };
    (parameters, vec![Piece { kind: PieceKind::Plain, lexeme: one, pasted: false }])
}

/// The parameters, and how many lexemes of `line` they take; `line` starts with the `(`.
fn parse_parameters(line: &[Lexeme], interner: &mut Interner) -> Result<(Parameters, usize), Diagnostic> {
    let mut parameters = Parameters::default();
    let mut seen = HashSet::new();
    let mut at = 1;
    if line.get(at).is_some_and(|lexeme| lexeme.is(")")) {
        return Ok((parameters, at + 1));
    }
    loop {
        let parameter = line.get(at).ok_or_else(|| unclosed_parameters(line))?;
        at += 1;
        if parameter.is("...") {
            parameters.names.push(interner.intern("__VA_ARGS__"));
            parameters.variadic = true;
        } else {
            parameters.names.push(parameter_name(parameter)?);
            if !seen.insert(parameter.text.clone()) {
                let message = format!("there are two parameters `{}`", parameter.text);
                return Err(bad_parameters(parameter, message));
            }
            // GNU C: the variable part may have a name, `args...`.
            parameters.variadic = line.get(at).is_some_and(|lexeme| lexeme.is("..."));
            at += usize::from(parameters.variadic);
        }
        let separator = line.get(at).ok_or_else(|| unclosed_parameters(line))?;
        at += 1;
        if separator.is(")") {
            return Ok((parameters, at));
        }
        if !separator.is(",") || parameters.variadic {
            let expected = if parameters.variadic { "`)`" } else { "`,` or `)`" };
            return Err(bad_parameters(separator, format!("{expected} is expected here")));
        }
    }
}

fn parameter_name(lexeme: &Lexeme) -> Result<Arc<str>, Diagnostic> {
    if !lexeme.is_name() || &*lexeme.text == "__VA_ARGS__" {
        return Err(bad_parameters(lexeme, "the name of a parameter is expected here".to_owned()));
    }
    Ok(lexeme.text.clone())
}

fn bad_parameters(lexeme: &Lexeme, message: String) -> Diagnostic {
    Diagnostic::error("bad-macro-parameters", lexeme.span, message)
}

fn unclosed_parameters(line: &[Lexeme]) -> Diagnostic {
    let last = line.last().map_or(line[0].span, |lexeme| lexeme.span);
    Diagnostic::error("bad-macro-parameters", last.after(), "the `)` after the macro's parameters is missing")
        .also(line[0].span, "opened here")
}

/// Takes a body apart; wrong operators are left out. In an object-like macro `#` is an ordinary lexeme.
fn parse_body(
    line: &[Lexeme],
    parameters: Option<&Parameters>,
    complaints: &mut Vec<Diagnostic>,
) -> Vec<Piece> {
    let names = parameters.map_or(&[][..], |parameters| &parameters.names);
    let indices: HashMap<&str, usize> = names.iter().enumerate().map(|(i, name)| (&**name, i)).collect();
    let index_of = |lexeme: &Lexeme| indices.get(&*lexeme.text).copied();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut at = 0;
    while let Some(lexeme) = line.get(at) {
        at += 1;
        if lexeme.is("##") {
            match pieces.last_mut() {
                Some(left) if at < line.len() => left.pasted = true,
                _ => complaints.push(lonely_paste(lexeme)),
            }
            continue;
        }
        let operand = line.get(at).and_then(index_of);
        let kind = match (lexeme.is("#") && parameters.is_some(), operand) {
            (true, Some(operand)) => {
                at += 1;
                PieceKind::Stringified(operand)
            }
            (true, None) => {
                complaints.push(lonely_stringify(lexeme));
                continue;
            }
            (false, _) => index_of(lexeme).map_or(PieceKind::Plain, PieceKind::Parameter),
        };
        // A definition is one line however it is laid out, and the blanks before its body do not count.
        let space_before = lexeme.space_before && !pieces.is_empty();
        let lexeme = Lexeme { line_start: LineStart::No, space_before, ..lexeme.clone() };
        pieces.push(Piece { kind, lexeme, pasted: false });
    }
    // A wrong operator was left out behind a `##`.
    if let Some(last) = pieces.last_mut() {
        last.pasted = false;
    }
    pieces
}

fn lonely_paste(lexeme: &Lexeme) -> Diagnostic {
    Diagnostic::error("lonely-paste", lexeme.span, "`##` needs something on both sides to join")
}

fn lonely_stringify(lexeme: &Lexeme) -> Diagnostic {
    let message = "`#` has to be followed by a parameter of the macro";
    Diagnostic::error("lonely-stringify", lexeme.span, message)
}
