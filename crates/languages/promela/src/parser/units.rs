//! The units of a model: proctypes, claims, formulas, types, global declarations.

use allways_source::{Diagnostic, Span};

use crate::ast::{Active, Block, Claim, Ltl, Name, Proctype, Trace, Typedef, Unit};

use super::recovery::Open;
use super::statements::SequenceIn;
use super::{Failed, Parse, Parser, STATEMENT_LEVELS};

impl Parser {
    pub(super) fn units(&mut self) -> Vec<Unit> {
        let mut units = Vec::new();
        while !self.at_end() {
            let start = self.position();
            let is_unit = self.at_unit_keyword() || self.at_declaration();
            match self.unit() {
                Ok(unit) => units.extend(unit),
                Err(Failed) => self.skip_unit(start, is_unit),
            }
        }
        self.uncalled_inlines();
        units
    }

    /// `None` for what leaves no trace in the tree: a separator, the definition of an inline.
    fn unit(&mut self) -> Parse<Option<Unit>> {
        if self.at_separator() {
            self.bump();
            return Ok(None);
        }
        if self.at_mtype_list() {
            return Ok(Some(Unit::Mtype(self.mtype_list()?)));
        }
        if self.at_declaration() {
            return Ok(Some(Unit::Variables(self.declaration()?)));
        }
        if !self.at_keyword() {
            return Err(self.not_a_unit());
        }
        Ok(Some(match &*self.peek().text {
            "active" | "proctype" | "D_proctype" => Unit::Proctype(self.proctype()?),
            "init" => Unit::Proctype(self.init()?),
            "never" => Unit::Never(self.never()?),
            "trace" | "notrace" => Unit::Trace(self.trace()?),
            "ltl" => Unit::Ltl(self.ltl()?),
            "typedef" => Unit::Typedef(self.typedef()?),
            "inline" => {
                self.inline_definition()?;
                return Ok(None);
            }
            "c_code" | "c_decl" | "c_state" | "c_track" => Unit::EmbeddedC(self.embedded_c()?),
            _ => return Err(self.not_a_unit()),
        }))
    }

    /// A unit inside the body of another: reported, read for its own mistakes, and dropped.
    pub(super) fn nested_unit(&mut self) {
        let keyword = self.peek().clone();
        self.report_here(
            Diagnostic::error(
                "nested-unit",
                keyword.span,
                format!("`{}` cannot stand inside the body of a process", keyword.text),
            )
            .help("move it out of the body"),
        );
        let start = self.position();
        let open = std::mem::take(&mut self.open);
        let lines_count = std::mem::replace(&mut self.lines_count, false);
        if self.nested(STATEMENT_LEVELS, Parser::unit).is_err() {
            self.skip_statement(start);
        }
        self.lines_count = lines_count;
        self.open = open;
        if self.position() == start {
            self.bump();
        }
    }

    fn proctype(&mut self) -> Parse<Proctype> {
        let start = self.position();
        let header = self.proctype_header(start);
        if header.is_err() {
            self.skip_to_body()?;
        }
        let owner = match &header {
            Ok(proctype) => format!("the body of `{}`", proctype.name.text),
            Err(Failed) => "the body of this proctype".to_string(),
        };
        let body = self.block(SequenceIn::Body, &owner)?;
        Ok(Proctype { body, span: self.span_from(start), ..header? })
    }

    /// All but the body.
    fn proctype_header(&mut self, start: usize) -> Parse<Proctype> {
        let active = self.active()?;
        if !self.at_any(&["proctype", "D_proctype"]) {
            return Err(self.unexpected("`proctype`"));
        }
        let deterministic = &*self.bump().text == "D_proctype";
        let name = self.expect_name("the name of the proctype")?;
        self.proctypes.insert(name.text.clone());
        let parameters = self.parameters(&name)?;
        let mut priority = self.priority()?;
        let provided =
            if self.eat("provided") { Some(self.bracketed("(", ")", Parser::expression)?) } else { None };
        if priority.is_none() {
            priority = self.priority()?;
        }
        let span = self.span_from(start);
        let body = Block { statements: Vec::new(), span };
        Ok(Proctype {
            name,
            is_init: false,
            deterministic,
            active,
            parameters,
            priority,
            provided,
            body,
            span,
        })
    }

    /// After a mistake in the header of a proctype: goes to the `{` of its body.
    fn skip_to_body(&mut self) -> Parse<()> {
        while !self.at("{") {
            if self.at_end() || self.at_unit_keyword() {
                return Err(Failed);
            }
            self.bump();
        }
        Ok(())
    }

    fn active(&mut self) -> Parse<Option<Active>> {
        let start = self.position();
        if !self.eat("active") {
            return Ok(None);
        }
        let count = if self.at("[") { Some(self.bracketed("[", "]", Parser::expression)?) } else { None };
        Ok(Some(Active { count, span: self.span_from(start) }))
    }

    fn init(&mut self) -> Parse<Proctype> {
        let start = self.position();
        let keyword = self.bump();
        if self.at("(") && self.nth_is(1, ")") {
            self.report_here(Diagnostic::error(
                "unexpected-token",
                self.peek().span,
                "`init` has no parameters and no parentheses",
            ));
            self.skip_balanced();
        }
        let priority = self.priority()?;
        let body = self.block(SequenceIn::Body, "the body of `init`")?;
        let span = self.span_from(start);
        Ok(Proctype {
            name: Name { text: keyword.text, span: keyword.span },
            is_init: true,
            deterministic: false,
            active: Some(Active { count: None, span: keyword.span }),
            parameters: Vec::new(),
            priority,
            provided: None,
            body,
            span,
        })
    }

    fn never(&mut self) -> Parse<Claim> {
        let start = self.position();
        self.bump();
        let name = self.optional_name()?;
        let body = self.block(SequenceIn::Body, "the body of this never claim")?;
        Ok(Claim { name, body, span: self.span_from(start) })
    }

    fn trace(&mut self) -> Parse<Trace> {
        let start = self.position();
        let forbidden = &*self.bump().text == "notrace";
        let name = self.optional_name()?;
        let body = self.block(SequenceIn::Body, "the body of this trace")?;
        Ok(Trace { forbidden, name, body, span: self.span_from(start) })
    }

    fn optional_name(&mut self) -> Parse<Option<Name>> {
        if self.at("{") { Ok(None) } else { self.expect_name("a name or `{`").map(Some) }
    }

    fn ltl(&mut self) -> Parse<Ltl> {
        let start = self.position();
        self.bump();
        let name = self.optional_name()?;
        let formula = self.bracketed("{", "}", |parser| {
            let formula = parser.formula()?;
            while parser.eat(";") {}
            Ok(formula)
        })?;
        Ok(Ltl { name, formula, span: self.span_from(start) })
    }

    fn typedef(&mut self) -> Parse<Typedef> {
        let start = self.position();
        self.bump();
        let name = self.expect_name("the name of the type")?;
        let position = self.position();
        let opener = self.expect("{")?.span;
        let lines_count = std::mem::replace(&mut self.lines_count, true);
        let fields = self.fields();
        self.lines_count = lines_count;
        let Ok(fields) = fields else {
            self.skip_behind(position);
            return Err(Failed);
        };
        self.close_typedef(opener)?;
        if fields.is_empty() {
            let message = format!("typedef `{}` needs a field", name.text);
            self.report(Diagnostic::error("empty-typedef", name.span, message));
        }
        Ok(Typedef { name, fields, span: self.span_from(start) })
    }

    fn close_typedef(&mut self, opener: Span) -> Parse<()> {
        if self.eat("}") { Ok(()) } else { Err(self.unclosed(Open { opener: "{", span: opener })) }
    }

    /// After a mistake in braces that open at `opener`.
    fn skip_behind(&mut self, opener: usize) {
        if let Some(closing) = self.closing(opener) {
            self.cursor.rewind(closing + 1);
        }
    }
}
