//! Macro expansion.
//!
//! The text of an expansion is put before the rest of the input and read again, as a [`Context`]. While anything of
//! it is left, its macro is disabled; a name of a disabled macro that is read meanwhile is painted and stays what it
//! is for ever. A context ends when something behind it is wanted, be it the `(` of a call that starts in the context
//! and goes on behind it. This is how GCC reads what the C standard leaves open, and so what models rely on.

use allways_source::{Diagnostic, Span};

use super::macros::{MacroId, Meaning, Parameters, Piece, PieceKind};
use super::{PpToken, Preprocessor, Reading};
use crate::lexer::{Lexeme, LexemeKind, LineStart, lex_one};
use crate::token::{Expansion, ExpansionId};

/// How many macro calls may stand in each other's arguments: each takes some of our stack.
const MAX_CALL_NESTING: usize = 200;

/// How many expansions may be under way.
const MAX_CONTEXTS: usize = 10_000;

/// Tokens to be read before what lies below.
pub(super) struct Context {
    tokens: std::vec::IntoIter<PpToken>,
    kind: ContextKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ContextKind {
    Expansion(MacroId),
    /// Tokens that were read too early.
    PutBack,
    /// What lies below must not be read: this is an argument or a directive to be expanded for itself.
    Isolated,
}

struct Call {
    /// One for each parameter, after [`Preprocessor::check_arity`].
    arguments: Vec<Argument>,
    /// The `)`.
    close: Span,
}

#[derive(Default)]
struct Argument {
    tokens: Vec<PpToken>,
    /// The same with its macros expanded; made when first needed.
    expanded: Option<Vec<PpToken>>,
}

/// Where a macro is used: what the tokens of its body have in common.
#[derive(Clone, Copy)]
struct Site {
    span: Span,
    expansion: ExpansionId,
}

impl Site {
    /// A token of the macro's body.
    fn token(self, lexeme: Lexeme) -> PpToken {
        PpToken { lexeme, span: self.span, expansion: Some(self.expansion), painted: false }
    }
}

/// The blanks before macros that expanded to nothing; they go to the next token.
struct Blanks {
    line_start: LineStart,
    space: bool,
}

impl Preprocessor<'_> {
    /// The next token that is not a macro; `None` at the end of the file or of an isolated context.
    pub(super) fn next_expanded(&mut self) -> Option<PpToken> {
        let mut blanks = Blanks { line_start: LineStart::No, space: false };
        loop {
            let mut token = self.next_unexpanded(Reading::Text)?;
            if blanks.line_start == LineStart::No {
                blanks.line_start = token.lexeme.line_start;
            }
            blanks.space |= token.lexeme.space_before;
            if self.expand(&token) {
                continue;
            }
            token.lexeme.line_start = blanks.line_start;
            token.lexeme.space_before = blanks.space;
            return Some(token);
        }
    }

    pub(super) fn next_unexpanded(&mut self, reading: Reading) -> Option<PpToken> {
        while let Some(context) = self.contexts.last_mut() {
            if let Some(token) = context.tokens.next() {
                return Some(self.paint(token));
            }
            if context.kind == ContextKind::Isolated {
                return None;
            }
            self.pop_context();
        }
        self.next_in_file(reading)
    }

    /// Expands tokens for themselves, without what follows them.
    pub(super) fn expand_isolated<T>(
        &mut self,
        tokens: Vec<PpToken>,
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let n_contexts = self.contexts.len();
        self.contexts.push(Context { tokens: tokens.into_iter(), kind: ContextKind::Isolated });
        self.n_isolated += 1;
        let result = read(self);
        // `read` may have stopped early; what it left is not to be mistaken for the text that follows.
        while self.contexts.len() > n_contexts {
            self.pop_context();
        }
        self.n_isolated -= 1;
        result
    }

    fn pop_context(&mut self) {
        let popped = self.contexts.pop();
        if let Some(Context { kind: ContextKind::Expansion(id), .. }) = popped {
            self.macros.get_mut(id).disabled = false;
        }
    }

    pub(super) fn remaining_expanded(&mut self) -> Vec<PpToken> {
        std::iter::from_fn(|| self.next_expanded()).collect()
    }

    /// Forgets what is still to be read from contexts, but keeps them: their readers are waiting.
    pub(super) fn abandon_contexts(&mut self) {
        for context in &mut self.contexts {
            context.tokens = Vec::new().into_iter();
        }
    }

    fn paint(&self, mut token: PpToken) -> PpToken {
        if token.lexeme.is_name() && !token.painted {
            token.painted =
                self.macros.find(&token.lexeme.text).is_some_and(|id| self.macros.get(id).disabled);
        }
        token
    }

    /// Puts the expansion of `name` before what follows; false if it is not a macro, or not one in use.
    fn expand(&mut self, name: &PpToken) -> bool {
        if !name.lexeme.is_name() || name.painted || self.budget == 0 {
            return false;
        }
        let Some(id) = self.macros.find(&name.lexeme.text) else { return false };
        match self.macros.get(id).meaning.clone() {
            Meaning::Function(parameters, body) => return self.expand_call(id, name, &parameters, &body),
            Meaning::Object(body) => {
                let site = self.new_site(name);
                let tokens = self.substitute(&body, None, &mut [], site);
                self.push_expansion(id, tokens, site);
            }
            Meaning::File => self.push_predefined(id, name, LexemeKind::String, self.quoted_path(name)),
            Meaning::Line => {
                let line = self.sources.line(name.span);
                self.push_predefined(id, name, LexemeKind::Number, line.to_string());
            }
        }
        true
    }

    fn expand_call(&mut self, id: MacroId, name: &PpToken, parameters: &Parameters, body: &[Piece]) -> bool {
        let Some(open) = self.open_parenthesis() else { return false };
        let mut site = self.new_site(name);
        let Some(mut call) = self.read_call(name, open, parameters, site) else { return false };
        site.span = name.span.to(call.close);
        self.expansions[site.expansion.0 as usize].call = site.span;
        self.check_arity(id, name, parameters, &mut call.arguments, site);
        let tokens = self.substitute(body, Some(parameters), &mut call.arguments, site);
        self.push_expansion(id, tokens, site);
        true
    }

    fn new_site(&mut self, name: &PpToken) -> Site {
        let text = name.lexeme.text.clone();
        self.expansions.push(Expansion { name: text, call: name.span, parent: name.expansion });
        Site { span: name.span, expansion: ExpansionId(self.expansions.len() as u32 - 1) }
    }

    fn push_expansion(&mut self, id: MacroId, tokens: Vec<PpToken>, site: Site) {
        if self.contexts.len() >= MAX_CONTEXTS && self.budget > 0 {
            self.give_up(site.span, format!("more than {MAX_CONTEXTS} macros expand to each other"));
        }
        if self.charge(tokens.len() + 1, site.span) {
            self.macros.get_mut(id).disabled = true;
            self.contexts.push(Context { tokens: tokens.into_iter(), kind: ContextKind::Expansion(id) });
        }
    }

    fn put_back(&mut self, tokens: Vec<PpToken>) {
        self.contexts.push(Context { tokens: tokens.into_iter(), kind: ContextKind::PutBack });
    }

    fn push_predefined(&mut self, id: MacroId, name: &PpToken, kind: LexemeKind, text: String) {
        let site = self.new_site(name);
        let text = self.interner.intern(&text);
        let lexeme = Lexeme { kind, text, line_start: LineStart::No, ..name.lexeme.clone() };
        self.push_expansion(id, vec![site.token(lexeme)], site);
    }

    fn quoted_path(&self, name: &PpToken) -> String {
        let path = self.sources.path(name.span.file).display().to_string();
        format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// Reading the arguments of a call.
impl Preprocessor<'_> {
    /// Takes the `(` that makes a function-like macro's name a call.
    fn open_parenthesis(&mut self) -> Option<PpToken> {
        let token = self.next_unexpanded(Reading::OpenParenthesis)?;
        if token.lexeme.is("(") {
            return Some(token);
        }
        self.put_back(vec![token]);
        None
    }

    /// Reads to the matching `)`. If there is none, everything is put back, as if the macro were not one.
    fn read_call(
        &mut self,
        name: &PpToken,
        open: PpToken,
        parameters: &Parameters,
        site: Site,
    ) -> Option<Call> {
        let mut taken = vec![open];
        // Indices into `taken`.
        let mut commas = Vec::new();
        let mut depth = 0;
        let close = loop {
            let Some(token) = self.next_unexpanded(Reading::Arguments) else {
                self.unclosed_call(name, taken);
                return None;
            };
            let in_variable_part = parameters.is_variable_part(commas.len());
            match &*token.lexeme.text {
                _ if token.lexeme.kind != LexemeKind::Punctuation => {}
                "(" => depth += 1,
                ")" if depth == 0 => break token.span,
                ")" => depth -= 1,
                "," if depth == 0 && !in_variable_part => commas.push(taken.len()),
                _ => {}
            }
            taken.push(token);
        };
        for token in &mut taken {
            // An argument is on one line with its call, and as deep in expansions.
            token.lexeme.line_start = LineStart::No;
            if token.expansion == name.expansion {
                token.expansion = Some(site.expansion);
            }
        }
        Some(Call { arguments: split_arguments(taken, &commas), close })
    }

    fn unclosed_call(&mut self, name: &PpToken, taken: Vec<PpToken>) {
        if self.budget == 0 {
            return;
        }
        // Calls inside of this one may lack their `)` as well, but the user will see that soon enough.
        if self.with_unclosed_call.insert(name.span.file) {
            let message = format!("this use of the macro `{}` has no closing `)`", name.lexeme.text);
            let complaint = Diagnostic::error("unclosed-macro-call", name.span, message);
            self.reports.add(complaint.also(taken[0].span, "opened here"));
        }
        if self.charge(taken.len(), name.span) {
            self.put_back(taken);
        }
    }

    /// Complains if there are too few or too many arguments, and makes the number right.
    fn check_arity(
        &mut self,
        id: MacroId,
        name: &PpToken,
        parameters: &Parameters,
        arguments: &mut Vec<Argument>,
        site: Site,
    ) {
        let n_parameters = parameters.names.len();
        if n_parameters == 0 && arguments.len() == 1 && arguments[0].tokens.is_empty() {
            arguments.clear();
        }
        if !parameters.accepts(arguments.len()) {
            let diagnostic = wrong_arity(name, site, parameters, arguments.len());
            self.reports.add(match self.macros.get(id).defined_at {
                Some(defined_at) => diagnostic.also(defined_at, "defined here"),
                None => diagnostic,
            });
            // A number fits almost everywhere, so the parser will not complain in turn.
            let zero = Lexeme {
                kind: LexemeKind::Number,
                text: self.interner.intern("0"),
                line_start: LineStart::No,
                ..name.lexeme.clone()
            };
            let zero = PpToken { lexeme: zero, painted: false, ..name.clone() };
            arguments.resize_with(n_parameters, || Argument { tokens: vec![zero.clone()], expanded: None });
        }
        // The variable part may be missing altogether.
        arguments.resize_with(n_parameters, Argument::default);
    }
}

fn split_arguments(mut taken: Vec<PpToken>, commas: &[usize]) -> Vec<Argument> {
    let mut arguments: Vec<Argument> = commas
        .iter()
        .rev()
        .map(|comma| Argument { tokens: taken.drain(comma..).skip(1).collect(), expanded: None })
        .collect();
    arguments.push(Argument { tokens: taken.drain(1..).collect(), expanded: None });
    arguments.reverse();
    arguments
}

fn wrong_arity(name: &PpToken, site: Site, parameters: &Parameters, n_arguments: usize) -> Diagnostic {
    let n_parameters = parameters.names.len();
    let expected = match (n_parameters, parameters.variadic) {
        (n, true) => format!("at least {}", count(n - 1)),
        (0, false) => "no arguments".to_owned(),
        (n, false) => count(n),
    };
    let message = format!("the macro `{}` takes {expected}, here it has {n_arguments}", name.lexeme.text);
    Diagnostic::error("macro-arity", site.span, message)
}

fn count(n_arguments: usize) -> String {
    if n_arguments == 1 { "1 argument".to_owned() } else { format!("{n_arguments} arguments") }
}

/// Putting the arguments into the body.
impl Preprocessor<'_> {
    /// The body with its arguments, all on one line; `parameters` is `None` for an object-like macro.
    fn substitute(
        &mut self,
        pieces: &[Piece],
        parameters: Option<&Parameters>,
        arguments: &mut [Argument],
        site: Site,
    ) -> Vec<PpToken> {
        let mut out: Vec<PpToken> = Vec::new();
        // Where in `out` the left operand of the current `##` starts; it may be empty.
        let mut left_start = 0;
        let mut space_pending = false;
        for (i, piece) in pieces.iter().enumerate() {
            let left = i.checked_sub(1).map(|i| &pieces[i]).filter(|left| left.pasted);
            let mut tokens = self.piece_tokens(piece, left.is_some(), arguments, site);
            if out.len() + tokens.len() >= self.budget {
                self.charge(out.len() + tokens.len(), site.span);
                return Vec::new();
            }
            space_pending |= piece.lexeme.space_before;
            if let Some(first) = tokens.first_mut() {
                first.lexeme.space_before = space_pending;
                space_pending = false;
            }
            match left {
                None => left_start = out.len(),
                Some(left) if is_variable_comma(left, piece, parameters) => {
                    // GNU C: `, ## __VA_ARGS__` pastes nothing, but loses its comma if there are no arguments.
                    if tokens.is_empty() {
                        out.pop();
                    }
                }
                Some(_) => self.paste_onto(&mut out, left_start, &mut tokens, site),
            }
            out.append(&mut tokens);
        }
        out
    }

    fn piece_tokens(
        &mut self,
        piece: &Piece,
        pasted_to_left: bool,
        arguments: &mut [Argument],
        site: Site,
    ) -> Vec<PpToken> {
        match piece.kind {
            PieceKind::Plain => vec![site.token(piece.lexeme.clone())],
            PieceKind::Stringified(parameter) => {
                let tokens = &arguments[parameter].tokens;
                let length = tokens.iter().map(|token| token.lexeme.text.len() + 1).sum();
                if !self.charge(length, site.span) {
                    return Vec::new();
                }
                let text = self.interner.intern(&stringified(tokens));
                vec![site.token(Lexeme { kind: LexemeKind::String, text, ..piece.lexeme.clone() })]
            }
            PieceKind::Parameter(parameter) if pasted_to_left || piece.pasted => {
                arguments[parameter].tokens.clone()
            }
            PieceKind::Parameter(parameter) => self.expanded_argument(&mut arguments[parameter], site),
        }
    }

    fn expanded_argument(&mut self, argument: &mut Argument, site: Site) -> Vec<PpToken> {
        if let Some(expanded) = &argument.expanded {
            return expanded.clone();
        }
        if self.n_isolated >= MAX_CALL_NESTING && self.budget > 0 {
            self.give_up(site.span, format!("more than {MAX_CALL_NESTING} macro calls are nested here"));
        }
        if !self.charge(argument.tokens.len(), site.span) {
            return Vec::new();
        }
        let tokens = argument.tokens.clone();
        let expanded = self.expand_isolated(tokens, Self::remaining_expanded);
        argument.expanded.insert(expanded).clone()
    }

    /// Joins the last token of `out` and the first of `tokens` into one. Nothing is joined to nothing.
    fn paste_onto(&mut self, out: &mut Vec<PpToken>, left_start: usize, tokens: &mut [PpToken], site: Site) {
        if out.len() == left_start || tokens.is_empty() {
            return;
        }
        let left = &out[out.len() - 1];
        let text = format!("{}{}", left.lexeme.text, tokens[0].lexeme.text);
        if !self.charge(text.len(), site.span) {
            return;
        }
        let Some(joined) = lex_one(&text, left.lexeme.span, &mut self.interner) else {
            self.reports.add(bad_paste(&left.lexeme.text, &tokens[0].lexeme.text, site.span));
            return;
        };
        let lexeme = Lexeme { line_start: LineStart::No, space_before: left.lexeme.space_before, ..joined };
        tokens[0] = PpToken { lexeme, painted: false, ..left.clone() };
        out.pop();
    }
}

fn is_variable_comma(left: &Piece, right: &Piece, parameters: Option<&Parameters>) -> bool {
    let PieceKind::Parameter(parameter) = right.kind else { return false };
    left.lexeme.is(",") && parameters.is_some_and(|parameters| parameters.is_variable_part(parameter))
}

fn bad_paste(left: &str, right: &str, call: Span) -> Diagnostic {
    let message = format!("`##` joins `{left}` and `{right}` to `{left}{right}`, which is not one token");
    Diagnostic::error("bad-paste", call, message)
}

/// The `#` operator: the spelling of an argument as a string, with single spaces where there were blanks.
fn stringified(tokens: &[PpToken]) -> String {
    let mut text = String::from("\"");
    for (i, token) in tokens.iter().enumerate() {
        if i > 0 && token.lexeme.space_before {
            text.push(' ');
        }
        // The standard has a stray backslash stay as it is.
        let quoted = !matches!(token.lexeme.kind, LexemeKind::Punctuation | LexemeKind::Stray);
        for c in token.lexeme.text.chars() {
            if quoted && matches!(c, '"' | '\\') {
                text.push('\\');
            }
            text.push(c);
        }
    }
    // A stray backslash at the end would keep the string open.
    let n_backslashes = text.len() - text.trim_end_matches('\\').len();
    if n_backslashes % 2 == 1 {
        text.pop();
    }
    text.push('"');
    text
}
