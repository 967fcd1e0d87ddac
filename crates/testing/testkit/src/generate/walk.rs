//! One traversal of a model's tree, for everything that looks at it or edits it.

use super::tree::*;

/// What to do at the nodes of a tree. Parents come before children, in textual order; a node is entered as the
/// visitor left it.
pub trait Visitor {
    /// A sequence of statements: a body, an option, a block.
    fn body(&mut self, _: &mut Vec<Stmt>) {}
    /// The options of a selection or repetition.
    fn options(&mut self, _: &mut Vec<Vec<Stmt>>) {}
    fn statement(&mut self, _: &mut Stmt) {}
    fn expression(&mut self, _: &mut Expr) {}
    fn pattern(&mut self, _: &mut Pattern) {}
    fn declaration(&mut self, _: &mut Decl) {}
    fn formula(&mut self, _: &mut Formula) {}
}

pub fn walk(model: &mut Model, visitor: &mut dyn Visitor) {
    let mut walker = Walker(visitor);
    for typedef in &mut model.typedefs {
        typedef.fields.iter_mut().for_each(|field| walker.declaration(field));
    }
    model.globals.iter_mut().for_each(|decl| walker.declaration(decl));
    model.inlines.iter_mut().for_each(|inline| walker.body(&mut inline.body));
    for proctype in &mut model.proctypes {
        proctype.params.iter_mut().for_each(|param| walker.declaration(param));
        if let Some(provided) = &mut proctype.provided {
            walker.expression(provided);
        }
        proctype.locals.iter_mut().for_each(|local| walker.declaration(local));
        walker.body(&mut proctype.body);
    }
    model.ltl.iter_mut().for_each(|ltl| walker.formula(&mut ltl.formula));
    if let Some(never) = &mut model.never {
        walker.body(&mut never.body);
    }
}

/// Walks a body alone.
pub fn walk_body(body: &mut Vec<Stmt>, visitor: &mut dyn Visitor) {
    Walker(visitor).body(body);
}

struct Walker<'a>(&'a mut dyn Visitor);

impl Walker<'_> {
    fn declaration(&mut self, decl: &mut Decl) {
        self.0.declaration(decl);
        if let Some(Init::Value(value)) = &mut decl.init {
            self.expression(value);
        }
    }

    fn formula(&mut self, formula: &mut Formula) {
        self.0.formula(formula);
        match formula {
            Formula::Atom(atom) => self.expression(atom),
            Formula::Unary(_, operand) => self.formula(operand),
            Formula::Binary(_, left, right) => {
                self.formula(left);
                self.formula(right);
            }
        }
    }

    fn body(&mut self, body: &mut Vec<Stmt>) {
        self.0.body(body);
        body.iter_mut().for_each(|stmt| self.statement(stmt));
    }

    fn options(&mut self, options: &mut Vec<Vec<Stmt>>) {
        self.0.options(options);
        options.iter_mut().for_each(|option| self.body(option));
    }

    fn statement(&mut self, stmt: &mut Stmt) {
        self.0.statement(stmt);
        match stmt {
            Stmt::Else | Stmt::Skip | Stmt::Goto(_) | Stmt::Break => {}
            Stmt::Assign(place, value) => {
                self.place(place);
                self.expression(value);
            }
            Stmt::Increment(place) | Stmt::Decrement(place) => self.place(place),
            Stmt::Guard(value) | Stmt::Assert(value) => self.expression(value),
            Stmt::Print(args) => self.expressions(args),
            Stmt::SetPriority(pid, priority) => {
                self.expression(pid);
                self.expression(priority);
            }
            Stmt::Send(send) => {
                self.place(&mut send.channel);
                self.expressions(&mut send.args);
            }
            Stmt::Receive(receive) => {
                self.place(&mut receive.channel);
                self.patterns(&mut receive.patterns);
            }
            Stmt::Run { args, pid, .. } => {
                pid.iter_mut().for_each(|place| self.place(place));
                self.expressions(args);
            }
            Stmt::If(options) | Stmt::Do(options) => self.options(options),
            Stmt::For { counter: _, low, high, body } => {
                self.expression(low);
                self.expression(high);
                self.body(body);
            }
            Stmt::ForIn { counter: _, array: _, body } => self.body(body),
            Stmt::Select { target, low, high } => {
                self.place(target);
                self.expression(low);
                self.expression(high);
            }
            Stmt::Atomic(body) | Stmt::DStep(body) | Stmt::Block(body) => self.body(body),
            Stmt::Unless(main, escape) => {
                self.body(main);
                self.body(escape);
            }
            Stmt::Call { inline: _, args } => self.expressions(args),
            Stmt::Declare(decl) => self.declaration(decl),
            Stmt::Labelled(_, stmt) => self.statement(stmt),
        }
    }

    fn expressions(&mut self, exprs: &mut [Expr]) {
        exprs.iter_mut().for_each(|expr| self.expression(expr));
    }

    fn expression(&mut self, expr: &mut Expr) {
        self.0.expression(expr);
        match expr {
            Expr::Const(_)
            | Expr::Mtype(_)
            | Expr::Pid
            | Expr::NrPr
            | Expr::Last
            | Expr::Timeout
            | Expr::At { .. } => {}
            Expr::Place(place) | Expr::Len(place) | Expr::Query(_, place) => self.place(place),
            Expr::Poll { channel, random: _, patterns } => {
                self.place(channel);
                self.patterns(patterns);
            }
            Expr::GetPriority(value)
            | Expr::Unary(_, value)
            | Expr::Divide { value, .. }
            | Expr::Masked { value, .. } => self.expression(value),
            Expr::Binary(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
            Expr::Conditional(condition, yes, no) => {
                self.expression(condition);
                self.expression(yes);
                self.expression(no);
            }
        }
    }

    fn patterns(&mut self, patterns: &mut [Pattern]) {
        for pattern in patterns {
            self.0.pattern(pattern);
            match pattern {
                Pattern::Store(place) => self.place(place),
                Pattern::Eval(value) => self.expression(value),
                Pattern::Const(_) | Pattern::Mtype(_) | Pattern::Ignore => {}
            }
        }
    }

    fn place(&mut self, place: &mut Place) {
        let indices = place.segments.iter_mut().filter_map(|segment| segment.index.as_mut());
        indices.for_each(|index| self.expression(&mut index.value));
    }
}
