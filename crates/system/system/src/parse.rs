//! Reads the text form that [`crate::print`] describes.
//!
//! White space, line breaks included, only separates tokens; `//` begins a comment. The order of the parts is that
//! of the printed form. What is read need not make sense: that is for [`crate::verify`] to say.

mod expressions;
mod lexer;

#[cfg(test)]
mod arbitrary;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use allways_source::{FileId, Span};

use crate::print::sources;
use crate::*;
use lexer::Token;

/// How deep expressions, formulas and shapes may be nested.
pub const MAX_NESTING: u32 = 1000;

/// Why a text is not the text form of a system.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// Where, counted from 1.
    pub line: usize,
    /// What was expected there.
    pub message: String,
}

/// The system that the text describes.
pub fn parse(text: &str) -> Result<System, ParseError> {
    let mut parser = Parser { tokens: lexer::tokens(text)?, position: 0, nesting: 0 };
    let system = parser.system()?;
    match parser.peek() {
        Token::End => Ok(system),
        _ => Err(parser.expected("a part of a system, in the order of the printed form")),
    }
}

type Result<T, E = ParseError> = std::result::Result<T, E>;

struct Parser<'a> {
    /// The last one is [`Token::End`].
    tokens: Vec<(Token<'a>, usize)>,
    /// Index into `tokens`.
    position: usize,
    /// How deep the recursion is.
    nesting: u32,
}

/// Moving through the tokens.
impl<'a> Parser<'a> {
    fn peek(&self) -> &Token<'a> {
        &self.tokens[self.position].0
    }

    fn advance(&mut self) {
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
        }
    }

    #[cold]
    fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError { line: self.tokens[self.position].1, message: message.into() }
    }

    #[cold]
    fn expected(&self, what: &str) -> ParseError {
        let found = match self.peek() {
            Token::Word(word) => format!("`{word}`"),
            Token::Number(number) => format!("`{number}`"),
            Token::Text(text) => format!("{text:?}"),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end".to_owned(),
        };
        self.error(format!("expected {what}, found {found}"))
    }

    fn eat_symbol(&mut self, symbol: &str) -> bool {
        let found = matches!(self.peek(), Token::Symbol(s) if *s == symbol);
        if found {
            self.advance();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(w) if *w == word);
        if found {
            self.advance();
        }
        found
    }

    fn symbol(&mut self, symbol: &str) -> Result<()> {
        if self.eat_symbol(symbol) { Ok(()) } else { Err(self.expected(&format!("`{symbol}`"))) }
    }

    fn word(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    fn number(&mut self) -> Result<u32> {
        let Token::Number(number) = *self.peek() else { return Err(self.expected("a number")) };
        self.advance();
        Ok(number)
    }

    /// A number that may be negative.
    fn value(&mut self) -> Result<i32> {
        let is_negative = self.eat_symbol("-");
        let Token::Number(number) = *self.peek() else { return Err(self.expected("a number")) };
        let value = if is_negative { -i64::from(number) } else { i64::from(number) };
        let value = i32::try_from(value).map_err(|_| self.error(format!("{value} has more than 32 bits")))?;
        self.advance();
        Ok(value)
    }

    fn text(&mut self) -> Result<String> {
        let Token::Text(text) = self.peek() else { return Err(self.expected("a quoted text")) };
        let text = text.clone();
        self.advance();
        Ok(text)
    }

    /// An identifier or a quoted text.
    fn name(&mut self) -> Result<String> {
        let name = match self.peek() {
            Token::Word(word) => (*word).to_owned(),
            Token::Text(text) => text.clone(),
            _ => return Err(self.expected("a name")),
        };
        self.advance();
        Ok(name)
    }

    /// The number of the id that comes next, if it is one with this letter.
    fn peek_id(&self, letter: char) -> Option<u32> {
        match self.peek() {
            Token::Word(word) => word.strip_prefix(letter)?.parse().ok(),
            _ => None,
        }
    }

    fn eat_id(&mut self, letter: char) -> Option<u32> {
        let id = self.peek_id(letter)?;
        self.advance();
        Some(id)
    }

    fn id(&mut self, letter: char) -> Result<u32> {
        self.eat_id(letter).ok_or_else(|| self.expected(&format!("an id like `{letter}0`")))
    }

    /// The id of the next thing in a list: it must be the one that its position gives it.
    fn eat_next_id<T>(&mut self, letter: char, list: &[T]) -> Result<bool> {
        match self.peek_id(letter) {
            None => Ok(false),
            Some(id) if id as usize == list.len() => {
                self.advance();
                Ok(true)
            }
            Some(_) => Err(self.expected(&format!("`{letter}{}`", list.len()))),
        }
    }

    /// Items up to a closing symbol.
    fn until<T>(&mut self, close: &str, item: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        while !self.eat_symbol(close) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Items with commas between them, up to a closing symbol.
    fn list<T>(&mut self, close: &str, item: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        if self.eat_symbol(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat_symbol(close) {
                return Ok(items);
            }
            self.symbol(",")?;
        }
    }

    fn span(&mut self) -> Result<Span> {
        self.symbol("@")?;
        let file = FileId(self.number()?);
        self.symbol(":")?;
        let start = self.number()?;
        self.symbol("..")?;
        Ok(Span { file, start, end: self.number()? })
    }

    /// Fails where the recursion is too deep. Whoever calls it takes 1 from `nesting` when done.
    fn descend(&mut self) -> Result<()> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(self.error(format!("nested more than {MAX_NESTING} deep")));
        }
        Ok(())
    }
}

/// From the outside in.
impl Parser<'_> {
    fn system(&mut self) -> Result<System> {
        self.word("system")?;
        let mut system = System {
            priorities: self.eat_word("priorities"),
            tracks_last: self.eat_word("tracks_last"),
            ..System::default()
        };
        while self.eat_word("mtype") {
            self.next_id('M', &system.mtypes)?;
            let mtype = self.mtype()?;
            system.mtypes.push(mtype);
        }
        while self.eat_word("channel") {
            self.next_id('C', &system.channels)?;
            let kind = self.channel_kind()?;
            system.channels.push(kind);
        }
        system.globals = self.frame('g')?;
        while self.eat_word("proctype") {
            self.next_id('P', &system.proctypes)?;
            let proctype = self.proctype()?;
            system.proctypes.push(proctype);
        }
        while self.eat_word("process") {
            let proctype = ProctypeId(self.id('P')?);
            self.word("priority")?;
            let priority = self.number()?;
            let priority = u8::try_from(priority).map_err(|_| self.error("a priority is at most 255"))?;
            system.processes.push(InitialProcess { proctype, priority });
        }
        while self.eat_word("claim") {
            system.claims.push(Claim { automaton: self.proctype()? });
        }
        while self.eat_word("formula") {
            let name = self.name()?;
            let text = self.text()?;
            let span = self.span()?;
            self.symbol(":")?;
            system.formulas.push(NamedFormula { name, formula: self.formula()?, text, span });
        }
        while matches!(self.peek(), Token::Word("trace" | "notrace")) {
            let forbidden = matches!(self.peek(), Token::Word("notrace"));
            self.advance();
            system.traces.push(Trace { forbidden, automaton: self.proctype()? });
        }
        Ok(system)
    }

    fn next_id<T>(&mut self, letter: char, list: &[T]) -> Result<()> {
        match self.eat_next_id(letter, list)? {
            true => Ok(()),
            false => Err(self.expected(&format!("`{letter}{}`", list.len()))),
        }
    }

    fn mtype(&mut self) -> Result<Mtype> {
        let name = match self.peek() {
            Token::Symbol("{") => None,
            _ => Some(self.name()?),
        };
        self.symbol("{")?;
        Ok(Mtype { name, names: self.until("}", Parser::name)? })
    }

    fn channel_kind(&mut self) -> Result<ChannelKind> {
        let name = self.name()?;
        self.symbol("[")?;
        let capacity = self.number()?;
        self.symbol("]")?;
        self.symbol("{")?;
        let fields = self.until("}", Parser::scalar)?;
        Ok(ChannelKind { name, capacity, fields, span: self.span()? })
    }

    fn frame(&mut self, scope: char) -> Result<Frame> {
        let mut frame = Frame::default();
        while let Some(base) = self.eat_id(scope) {
            let name = self.name()?;
            self.symbol(":")?;
            let shape = self.shape()?;
            let hidden = self.eat_word("hidden");
            let mut initial = Vec::new();
            if self.eat_symbol("=") {
                while !matches!(self.peek(), Token::Symbol("@")) {
                    initial.push(match self.eat_id('C') {
                        Some(kind) => Initial::Channel(ChannelKindId(kind)),
                        None => Initial::Value(self.value()?),
                    });
                }
            }
            frame.variables.push(Variable { name, shape, base, hidden, initial, span: self.span()? });
        }
        Ok(frame)
    }

    fn shape(&mut self) -> Result<Shape> {
        self.descend()?;
        let shape = if self.eat_symbol("[") {
            let length = self.number()?;
            self.symbol("]")?;
            Shape::Array(Arc::new(self.shape()?), length)
        } else if self.eat_word("struct") {
            let name = self.name()?;
            self.symbol("{")?;
            let fields = self.list("}", |parser| {
                let field = parser.name()?;
                parser.symbol(":")?;
                Ok((field, parser.shape()?))
            })?;
            Shape::Record { name: name.into(), fields: fields.into() }
        } else {
            Shape::Scalar(self.scalar()?)
        };
        self.nesting -= 1;
        Ok(shape)
    }

    /// What follows the word that says what it is.
    fn proctype(&mut self) -> Result<Proctype> {
        let name = self.name()?;
        let parameters = if self.eat_word("parameters") { self.number()? } else { 0 };
        self.word("initial")?;
        let initial = LocationId(self.id('L')?);
        let deterministic = self.eat_word("deterministic");
        let span = self.span()?;
        let frame = self.frame('l')?;
        let mut start = Vec::new();
        while self.eat_word("start") {
            start.push(self.start()?);
        }
        let provided = if self.eat_word("provided") { Some(self.expr()?) } else { None };
        let mut exclusive = Vec::new();
        while matches!(self.peek(), Token::Word("xr" | "xs")) {
            let receive = matches!(self.peek(), Token::Word("xr"));
            self.advance();
            exclusive.push(Exclusive { receive, channel: self.expr()?, span: self.span()? });
        }
        let mut locations = Vec::new();
        while self.eat_next_id('L', &locations)? {
            locations.push(self.location()?);
        }
        let mut proctype = Proctype {
            name,
            frame,
            parameters,
            start,
            initial,
            locations: locations.into(),
            transitions: Shared::default(),
            provided,
            deterministic,
            exclusive,
            span,
        };
        self.transitions(&mut proctype)?;
        Ok(proctype)
    }

    fn start(&mut self) -> Result<Start> {
        if let Some(slot) = self.peek_id('l')
            && matches!(self.tokens.get(self.position + 1), Some((Token::Symbol(":="), _)))
        {
            self.advance();
            self.advance();
            self.word("new")?;
            return Ok(Start::Channel(slot, ChannelKindId(self.id('C')?)));
        }
        let place = self.place()?;
        self.symbol(":=")?;
        Ok(Start::Assign(place, self.expr()?))
    }

    fn location(&mut self) -> Result<Location> {
        let mut location = Location {
            is_end: self.eat_word("end"),
            is_progress: self.eat_word("progress"),
            is_accept: self.eat_word("accept"),
            ..Location::default()
        };
        while matches!(self.peek(), Token::Text(_)) {
            location.labels.push(self.text()?);
        }
        if matches!(self.peek(), Token::Symbol("@")) {
            location.span = Some(self.span()?);
        }
        self.symbol(":")?;
        let mut groups = Vec::new();
        while self.eat_symbol("[") {
            groups.push(self.until("]", |parser| Ok(TransitionId(parser.id('t')?)))?);
        }
        location.groups = groups.into();
        Ok(location)
    }

    fn transitions(&mut self, proctype: &mut Proctype) -> Result<()> {
        // The transitions whose sources were given, each with its line.
        let mut given = Vec::new();
        while self.eat_next_id('t', &proctype.transitions)? {
            let line = self.tokens[self.position].1;
            let mut sources = Vec::new();
            while let Some(source) = self.eat_id('L') {
                sources.push(LocationId(source));
            }
            if !sources.is_empty() {
                given.push((proctype.transitions.len(), sources, line));
            }
            let transition = self.transition()?;
            proctype.transitions.push(transition);
        }
        let sources = sources(proctype);
        for (i, given, line) in given {
            if given != sources[i] {
                let message = format!("the locations that list t{i} are not these");
                return Err(ParseError { line, message });
            }
        }
        Ok(())
    }

    fn transition(&mut self) -> Result<Transition> {
        self.symbol("->")?;
        let target = LocationId(self.id('L')?);
        let atomic = self.eat_word("atomic");
        let mut resets = Vec::new();
        if self.eat_word("reset") {
            while let Some(slot) = self.eat_id('l') {
                resets.push(slot);
            }
        }
        let text = self.text()?;
        let span = self.span()?;
        let mut calls = Vec::new();
        if self.eat_word("via") {
            while matches!(self.peek(), Token::Symbol("@")) {
                calls.push(self.span()?);
            }
        }
        self.symbol(":")?;
        let (resets, text, calls) = (resets.into(), text.into(), calls.into());
        Ok(Transition { action: self.action()?, target, atomic, resets, text, span, calls })
    }

    fn action(&mut self) -> Result<Action> {
        let Token::Word(word) = *self.peek() else { return Err(self.expected("an action")) };
        self.advance();
        Ok(match word {
            "skip" => Action::Skip,
            "when" => Action::Condition(self.expr()?),
            "else" => Action::Else,
            "assign" => {
                let (place, value) = self.assignment()?;
                Action::Assign(place, value)
            }
            "assign_all" => {
                self.symbol("{")?;
                Action::AssignAll(self.list("}", Parser::assignment)?)
            }
            "send" => {
                let sorted = self.eat_word("sorted");
                Action::Send { sorted, channel: self.expr()?, values: self.arguments()? }
            }
            "receive" => {
                let random = self.eat_word("random");
                let keep = self.eat_word("keep");
                Action::Receive { random, keep, channel: self.expr()?, patterns: self.patterns()? }
            }
            "assert" => Action::Assert(self.expr()?),
            "run" => Action::Run {
                proctype: ProctypeId(self.id('P')?),
                arguments: self.arguments()?,
                priority: if self.eat_word("priority") { Some(Box::new(self.expr()?)) } else { None },
                result: if self.eat_word("into") { Some(Box::new(self.place()?)) } else { None },
            },
            "print" => Action::Print { format: self.format()?, arguments: self.arguments()? },
            "set_priority" => {
                let pid = self.expr()?;
                self.symbol(":=")?;
                Action::SetPriority { pid: Box::new(pid), priority: Box::new(self.expr()?) }
            }
            "d_step" => {
                let entry = LocationId(self.id('L')?);
                self.symbol("..")?;
                Action::DStep { entry, exit: LocationId(self.id('L')?) }
            }
            "terminate" => Action::Terminate,
            _ => {
                self.position -= 1;
                return Err(self.expected("an action"));
            }
        })
    }

    fn assignment(&mut self) -> Result<(Place, Expr)> {
        let place = self.place()?;
        self.symbol(":=")?;
        Ok((place, self.expr()?))
    }

    fn arguments(&mut self) -> Result<Vec<Expr>> {
        self.symbol("(")?;
        self.list(")", Parser::expr)
    }

    fn format(&mut self) -> Result<Vec<Print>> {
        let mut format = Vec::new();
        loop {
            if matches!(self.peek(), Token::Text(_)) {
                format.push(Print::Text(self.text()?));
                continue;
            }
            if !self.eat_symbol("%") {
                return Ok(format);
            }
            let Token::Word(word) = *self.peek() else { return Err(self.expected("a placeholder")) };
            let piece = match word {
                "d" => Print::Decimal,
                "u" => Print::Unsigned,
                "x" => Print::Hexadecimal,
                "o" => Print::Octal,
                "c" => Print::Character,
                "e" => Print::Symbol(MtypeId(0)),
                _ => return Err(self.expected("one of `%d %u %x %o %c %e`")),
            };
            self.advance();
            format.push(match piece {
                Print::Symbol(_) => {
                    self.symbol(":")?;
                    Print::Symbol(MtypeId(self.id('M')?))
                }
                piece => piece,
            });
        }
    }
}
