//! Expressions, places, patterns and formulas.
//!
//! Each nesting of a text costs a few frames of the stack, so the rarer cases are functions of their own that are
//! kept out of the frame of the common one.

use super::{Parser, Result, Token};
use crate::print::{BINARY_OPS, CHANNEL_TESTS, SCALARS, UNARY_OPS};
use crate::*;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Result<Expr> {
        self.descend()?;
        let expr = match self.peek() {
            Token::Number(_) => Expr::Constant(self.value()?),
            Token::Word(_) => self.word_expr()?,
            Token::Symbol("(") => self.operation()?,
            Token::Symbol("-")
                if matches!(self.tokens.get(self.position + 1), Some((Token::Number(_), _))) =>
            {
                Expr::Constant(self.value()?)
            }
            Token::Symbol(_) => self.unary()?,
            _ => return Err(self.expected("an expression")),
        };
        self.nesting -= 1;
        Ok(expr)
    }

    #[inline(never)]
    fn unary(&mut self) -> Result<Expr> {
        for (op, symbol) in UNARY_OPS {
            if self.eat_symbol(symbol) {
                return Ok(Expr::Unary(op, Box::new(self.expr()?)));
            }
        }
        Err(self.expected("an expression"))
    }

    /// Something between parentheses.
    #[inline(never)]
    fn operation(&mut self) -> Result<Expr> {
        self.symbol("(")?;
        let first = self.expr()?;
        if self.eat_symbol(")") {
            return Ok(first);
        }
        if self.eat_symbol("?") {
            let second = self.expr()?;
            self.symbol(":")?;
            let parts = Box::new((first, second, self.expr()?));
            self.symbol(")")?;
            return Ok(Expr::Conditional(parts));
        }
        for (op, symbol) in BINARY_OPS {
            if self.eat_symbol(symbol) {
                let operands = Box::new((first, self.expr()?));
                self.symbol(")")?;
                return Ok(Expr::Binary(op, operands));
            }
        }
        Err(self.expected("an operator"))
    }

    #[inline(never)]
    fn word_expr(&mut self) -> Result<Expr> {
        if self.peek_id('g').or(self.peek_id('l')).is_some() {
            return Ok(Expr::Load(self.place()?));
        }
        if self.peek_id('P').is_some() {
            return self.remote();
        }
        let Token::Word(word) = *self.peek() else { return Err(self.expected("an expression")) };
        if let Some((test, _)) = CHANNEL_TESTS.into_iter().find(|(_, name)| *name == word) {
            return Ok(Expr::Channel(test, self.operand()?));
        }
        let simple = match word {
            "enabled" => return Ok(Expr::Enabled(self.operand()?)),
            "pc_value" => return Ok(Expr::PcValue(self.operand()?)),
            "get_priority" => return Ok(Expr::Priority(self.operand()?)),
            "poll" => return self.poll(),
            "timeout" => Expr::Timeout,
            "np_" => Expr::NonProgress,
            "accepting_" => Expr::Accepting,
            "_pid" => Expr::Pid,
            "_nr_pr" => Expr::ProcessCount,
            "_last" => Expr::Last,
            _ => return Err(self.expected("an expression")),
        };
        self.advance();
        Ok(simple)
    }

    /// A word and an expression in parentheses.
    fn operand(&mut self) -> Result<Box<Expr>> {
        self.advance();
        self.symbol("(")?;
        let operand = Box::new(self.expr()?);
        self.symbol(")")?;
        Ok(operand)
    }

    #[inline(never)]
    fn poll(&mut self) -> Result<Expr> {
        self.word("poll")?;
        let random = self.eat_word("random");
        Ok(Expr::Poll { random, channel: Box::new(self.expr()?), patterns: self.patterns()?.into() })
    }

    /// A reference to another process.
    #[inline(never)]
    fn remote(&mut self) -> Result<Expr> {
        let proctype = ProctypeId(self.id('P')?);
        let mut pid = None;
        if self.eat_symbol("[") {
            pid = Some(Box::new(self.expr()?));
            self.symbol("]")?;
        }
        if self.eat_symbol("@") {
            return Ok(Expr::At { proctype, pid, location: LocationId(self.id('L')?) });
        }
        self.symbol(":")?;
        Ok(Expr::Remote { proctype, pid, place: Box::new(self.place()?) })
    }

    #[inline(never)]
    pub(super) fn patterns(&mut self) -> Result<Vec<Pattern>> {
        self.symbol("(")?;
        self.list(")", |parser| {
            if parser.eat_word("_") {
                return Ok(Pattern::Ignore);
            }
            if parser.eat_word("store") {
                return Ok(Pattern::Store(parser.place()?));
            }
            Ok(Pattern::Match(parser.expr()?))
        })
    }

    #[inline(never)]
    pub(super) fn place(&mut self) -> Result<Place> {
        let (scope, base) = if let Some(base) = self.eat_id('g') {
            (Scope::Global, base)
        } else if let Some(base) = self.eat_id('l') {
            (Scope::Local, base)
        } else {
            return Err(self.expected("a slot like `g0` or `l0`"));
        };
        let mut indices = Vec::new();
        while self.eat_symbol("[") {
            let value = self.expr()?;
            self.symbol(";")?;
            self.word("stride")?;
            let stride = self.number()?;
            self.symbol(";")?;
            self.word("bound")?;
            indices.push(Index { value, stride, bound: self.number()? });
            self.symbol("]")?;
        }
        self.symbol(":")?;
        Ok(Place { scope, base, indices: indices.into(), scalar: self.scalar()? })
    }

    pub(super) fn scalar(&mut self) -> Result<Scalar> {
        if let Some(set) = self.eat_id('M') {
            return Ok(Scalar::Mtype(MtypeId(set)));
        }
        if let Some(bits) = self.peek_id('u') {
            let bits = u8::try_from(bits).map_err(|_| self.error(format!("{bits} bits are too many")))?;
            self.advance();
            return Ok(Scalar::Unsigned(bits));
        }
        for (scalar, word) in SCALARS {
            if self.eat_word(word) {
                return Ok(scalar);
            }
        }
        Err(self.expected("a type"))
    }

    pub(super) fn formula(&mut self) -> Result<Formula> {
        self.descend()?;
        let formula = if self.eat_symbol("{") {
            let condition = self.expr()?;
            self.symbol("}")?;
            Formula::Now(condition)
        } else if self.eat_symbol("(") {
            self.binary_formula()?
        } else if self.eat_symbol("!") {
            Formula::Not(Box::new(self.formula()?))
        } else if self.eat_symbol("<>") {
            Formula::Eventually(Box::new(self.formula()?))
        } else if self.eat_word("X") {
            Formula::Next(Box::new(self.formula()?))
        } else if self.eat_symbol("[") {
            self.symbol("]")?;
            Formula::Always(Box::new(self.formula()?))
        } else {
            return Err(self.expected("a formula"));
        };
        self.nesting -= 1;
        Ok(formula)
    }

    /// After the opening parenthesis.
    #[inline(never)]
    fn binary_formula(&mut self) -> Result<Formula> {
        let first = self.formula()?;
        let operator: fn(Box<(Formula, Formula)>) -> Formula = match self.peek() {
            Token::Symbol("&&") => Formula::And,
            Token::Symbol("||") => Formula::Or,
            Token::Symbol("->") => Formula::Implies,
            Token::Symbol("<->") => Formula::Equivalent,
            Token::Word("U") => Formula::Until,
            Token::Word("W") => Formula::WeakUntil,
            Token::Word("V") => Formula::Release,
            _ => return Err(self.expected("an operator of temporal logic")),
        };
        self.advance();
        let operands = Box::new((first, self.formula()?));
        self.symbol(")")?;
        Ok(operator(operands))
    }
}
