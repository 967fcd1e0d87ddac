//! Declarations of variables, channels, parameters and fields, and the names of an mtype.

use allways_source::{Diagnostic, Span};

use crate::ast::{Declaration, Expr, ExprKind, Initial, Mtype, Name, TypeName, Variable, Visibility};
use crate::token::TokenKind;

use super::{Parse, Parser};

const TYPE_KEYWORDS: &[&str] = &["bit", "bool", "byte", "pid", "short", "int", "unsigned", "chan", "mtype"];

impl Parser {
    /// Whether a declaration of variables (or of the names of an mtype) starts here.
    pub(super) fn at_declaration(&self) -> bool {
        self.at_any(&["hidden", "show", "local"]) || self.at_type_keyword() || self.at_type_and_name()
    }

    pub(super) fn at_type_keyword(&self) -> bool {
        self.at_any(TYPE_KEYWORDS)
    }

    /// `T x`, where `T` is a typedef or a type of some other language.
    fn at_type_and_name(&self) -> bool {
        let (second, third) = (self.cursor.nth(1), self.cursor.nth(2));
        if !self.at_name() || self.lines_count && second.starts_line {
            return false;
        }
        if self.at_foreign_type() {
            return matches!(second.kind, TokenKind::Name | TokenKind::Keyword);
        }
        // `x y++` rather lacks something between two statements.
        let is_used = ["!", "!!", "?", "??", "++", "--", ".", "("].iter().any(|text| third.is(text));
        second.kind == TokenKind::Name && !is_used && &*second.text != "then"
    }

    pub(super) fn declaration(&mut self) -> Parse<Declaration> {
        let start = self.position();
        let visibility = self.visibility();
        let type_name = self.type_name()?;
        if self.at("[") {
            return Err(self.size_after_type());
        }
        let variables = self.variables()?;
        Ok(Declaration { visibility, type_name, variables, span: self.span_from(start) })
    }

    fn visibility(&mut self) -> Option<Visibility> {
        let mut visibility = None;
        loop {
            let word = match &*self.peek().text {
                "hidden" if self.at_keyword() => Visibility::Hidden,
                "show" if self.at_keyword() => Visibility::Show,
                "local" if self.at_keyword() => Visibility::Local,
                _ => return visibility,
            };
            if visibility.is_some() {
                self.report_here(Diagnostic::error(
                    "two-visibilities",
                    self.peek().span,
                    "only one of `hidden`, `show` and `local` can be given",
                ));
            }
            visibility = Some(word);
            self.bump();
        }
    }

    fn type_name(&mut self) -> Parse<TypeName> {
        if let Some(type_name) = self.foreign_type() {
            return Ok(type_name);
        }
        if self.at_name() {
            return Ok(TypeName::Named(self.expect_name("a type")?));
        }
        let type_name = match &*self.peek().text {
            "bit" => TypeName::Bit,
            "bool" => TypeName::Bool,
            "byte" => TypeName::Byte,
            "pid" => TypeName::Pid,
            "short" => TypeName::Short,
            "int" => TypeName::Int,
            "unsigned" => TypeName::Unsigned,
            "chan" => TypeName::Chan,
            "mtype" => TypeName::Mtype(None),
            _ => return Err(self.unexpected("a type")),
        };
        self.bump();
        if matches!(type_name, TypeName::Mtype(_)) && self.eat(":") {
            return Ok(TypeName::Mtype(Some(self.expect_name("the name of an mtype")?)));
        }
        Ok(type_name)
    }

    fn variables(&mut self) -> Parse<Vec<Variable>> {
        let mut variables = vec![self.variable()?];
        while self.eat_on_line(",") {
            if self.at_type_keyword() || self.at_type_and_name() {
                self.type_after_comma();
                break;
            }
            variables.push(self.variable()?);
        }
        Ok(variables)
    }

    /// A variable with a mistake behind its name is declared even so: its uses are not wrong.
    fn variable(&mut self) -> Parse<Variable> {
        let start = self.position();
        let name = self.expect_name("a variable name")?;
        if self.goes_on_with("(") {
            return Err(self.foreign_function(&name));
        }
        let span = name.span;
        let mut variable = Variable { name, width: None, length: None, initial: None, span };
        if self.variable_details(&mut variable).is_err() {
            self.skip_variable();
        }
        variable.span = self.span_from(start);
        Ok(variable)
    }

    /// What follows the name; the part with a mistake is an [`ExprKind::Error`].
    fn variable_details(&mut self, variable: &mut Variable) -> Parse<()> {
        let error = Expr { kind: ExprKind::Error, span: variable.span };
        if self.eat_on_line(":") {
            variable.width = Some(error.clone());
            variable.width = Some(self.primary()?);
        }
        if self.goes_on_with("[") {
            variable.length = Some(error.clone());
            variable.length = Some(self.bracketed("[", "]", Parser::expression)?);
        }
        if self.goes_on_with("[") {
            self.two_dimensional_array(&variable.name);
            self.skip_balanced();
        }
        if self.eat_on_line("=") {
            variable.initial = Some(Initial::Value(error));
            variable.initial = Some(self.initial()?);
        }
        Ok(())
    }

    fn initial(&mut self) -> Parse<Initial> {
        let start = self.position();
        if self.at("{") {
            let values = self.bracketed("{", "}", |parser| parser.comma_list(Parser::expression))?;
            return Ok(Initial::List(values, self.span_from(start)));
        }
        if !self.at("[") {
            return Ok(Initial::Value(self.expression()?));
        }
        let capacity = self.bracketed("[", "]", Parser::expression)?;
        self.expect("of")?;
        let fields = self.bracketed("{", "}", |parser| parser.comma_list(Parser::message_field))?;
        Ok(Initial::Channel { capacity, fields, span: self.span_from(start) })
    }

    fn message_field(&mut self) -> Parse<(TypeName, Span)> {
        let start = self.position();
        let type_name = self.type_name()?;
        Ok((type_name, self.span_from(start)))
    }

    /// `(byte a, b; chan c)` after the name of a proctype.
    pub(super) fn parameters(&mut self, proctype: &Name) -> Parse<Vec<Declaration>> {
        if !self.at("(") {
            let message = format!("expected `(` after `proctype {}`", proctype.text);
            return Err(self.report_here(
                Diagnostic::error("unexpected-token", self.peek().span, message)
                    .help(format!("without parameters write `proctype {}()`", proctype.text)),
            ));
        }
        self.bracketed("(", ")", |parser| {
            let mut parameters = Vec::new();
            while !parser.at(")") {
                parser.check_parameter_type()?;
                parameters.push(parser.declaration()?);
                if !parser.eat(";") && !parser.at_declaration() {
                    break;
                }
            }
            Ok(parameters)
        })
    }

    /// The fields of a typedef up to its `}`.
    pub(super) fn fields(&mut self) -> Parse<Vec<Declaration>> {
        let mut fields = Vec::new();
        while !self.at("}") && !self.at_end() && !self.at_unit_keyword() {
            fields.push(self.declaration()?);
            let separated = self.eat(";") || self.line_ends();
            if !separated && !self.at("}") && !self.at_unit_keyword() && !self.at_end() {
                return Err(self.unexpected("`;`"));
            }
            while self.eat(";") {}
        }
        Ok(fields)
    }

    /// `mtype = { … }`, not a variable of type mtype.
    pub(super) fn at_mtype_list(&self) -> bool {
        let start = usize::from(self.at_any(&["hidden", "show", "local"]));
        if !self.nth_is(start, "mtype") {
            return false;
        }
        let after_set = start + if self.nth_is(start + 1, ":") { 3 } else { 1 };
        let after_sign = after_set + usize::from(self.nth_is(after_set, "="));
        self.nth_is(after_sign, "{")
    }

    pub(super) fn mtype_list(&mut self) -> Parse<Mtype> {
        let start = self.position();
        self.visibility();
        self.expect("mtype")?;
        let set = if self.eat(":") { Some(self.expect_name("the name of an mtype")?) } else { None };
        self.eat("=");
        let names = self.bracketed("{", "}", Parser::mtype_names)?;
        Ok(Mtype { set, names, span: self.span_from(start) })
    }

    /// The commas between them are optional.
    fn mtype_names(&mut self) -> Parse<Vec<Name>> {
        let mut names = Vec::new();
        loop {
            names.push(self.expect_name("a name")?);
            while self.eat(",") {}
            if !self.at_name() && !self.at_keyword() {
                return Ok(names);
            }
        }
    }
}
