//! Random systems: every variant of every type, well formed or not.

use std::sync::Arc;

use allways_source::{FileId, Span};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::print::{BINARY_OPS, CHANNEL_TESTS, SCALARS, UNARY_OPS};
use crate::*;

/// A system.
pub(super) fn system() -> impl Strategy<Value = System> {
    let properties = (vec(automaton().prop_map(|automaton| Claim { automaton }), 0..2), formulas(), traces());
    (
        vec(mtype(), 0..3),
        frame(),
        vec(channel_kind(), 0..3),
        vec(automaton(), 0..3),
        vec(initial_process(), 0..3),
        any::<bool>(),
        any::<bool>(),
        properties,
    )
        .prop_map(
            |(mtypes, globals, channels, proctypes, processes, priorities, tracks_last, properties)| {
                let (claims, formulas, traces) = properties;
                System {
                    mtypes,
                    globals,
                    channels,
                    proctypes,
                    processes,
                    priorities,
                    tracks_last,
                    claims,
                    formulas,
                    traces,
                }
            },
        )
}

fn number() -> impl Strategy<Value = u32> + Clone {
    prop_oneof![4 => 0..6u32, 1 => any::<u32>(), 1 => Just(u32::MAX)]
}

fn value() -> impl Strategy<Value = i32> {
    prop_oneof![4 => -3..6i32, 1 => any::<i32>(), 1 => select(vec![i32::MIN, i32::MIN + 1, i32::MAX])]
}

fn name() -> impl Strategy<Value = String> {
    let tricky = vec![
        "",
        "end",
        "g0",
        "u8",
        "struct",
        "0a",
        "a b",
        "\"",
        "\\",
        "\n\r\t\0",
        "//",
        "é∀𝄞",
        "\u{301}",
        "'",
    ];
    prop_oneof![
        4 => "[a-zA-Z_][a-zA-Z0-9_]{0,3}",
        1 => any::<String>(),
        1 => select(tricky).prop_map(str::to_owned),
    ]
}

fn span() -> impl Strategy<Value = Span> {
    (number(), number(), number()).prop_map(|(file, start, end)| Span { file: FileId(file), start, end })
}

fn mtype() -> impl Strategy<Value = Mtype> {
    (option::of(name()), vec(name(), 0..3)).prop_map(|(name, names)| Mtype { name, names })
}

fn scalar() -> impl Strategy<Value = Scalar> {
    prop_oneof![
        select(SCALARS.map(|(scalar, _)| scalar).to_vec()),
        any::<u8>().prop_map(Scalar::Unsigned),
        number().prop_map(|set| Scalar::Mtype(MtypeId(set))),
    ]
}

fn shape() -> impl Strategy<Value = Shape> {
    scalar().prop_map(Shape::Scalar).prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            (inner.clone(), number()).prop_map(|(element, length)| Shape::Array(Arc::new(element), length)),
            (name(), vec((name(), inner), 0..3))
                .prop_map(|(name, fields)| Shape::Record { name: name.into(), fields: fields.into() }),
        ]
    })
}

fn initial() -> impl Strategy<Value = Initial> {
    prop_oneof![
        value().prop_map(Initial::Value),
        number().prop_map(|kind| Initial::Channel(ChannelKindId(kind))),
    ]
}

fn frame() -> impl Strategy<Value = Frame> {
    let variable = (name(), shape(), number(), any::<bool>(), vec(initial(), 0..3), span()).prop_map(
        |(name, shape, base, hidden, initial, span)| Variable { name, shape, base, hidden, initial, span },
    );
    vec(variable, 0..3).prop_map(|variables| Frame { variables })
}

fn channel_kind() -> impl Strategy<Value = ChannelKind> {
    (name(), number(), vec(scalar(), 0..3), span()).prop_map(|(name, capacity, fields, span)| ChannelKind {
        name,
        capacity,
        fields,
        span,
    })
}

fn initial_process() -> impl Strategy<Value = InitialProcess> {
    (number(), any::<u8>())
        .prop_map(|(proctype, priority)| InitialProcess { proctype: ProctypeId(proctype), priority })
}

fn place(expr: impl Strategy<Value = Expr>) -> impl Strategy<Value = Place> {
    let index = (expr, number(), number()).prop_map(|(value, stride, bound)| Index { value, stride, bound });
    (select(vec![Scope::Global, Scope::Local]), number(), vec(index, 0..3), scalar())
        .prop_map(|(scope, base, indices, scalar)| Place { scope, base, indices: indices.into(), scalar })
}

fn patterns(expr: impl Strategy<Value = Expr> + Clone) -> impl Strategy<Value = Vec<Pattern>> {
    let pattern = prop_oneof![
        place(expr.clone()).prop_map(Pattern::Store),
        expr.prop_map(Pattern::Match),
        Just(Pattern::Ignore),
    ];
    vec(pattern, 0..3)
}

fn flat_expr() -> impl Strategy<Value = Expr> + Clone {
    let words =
        vec![Expr::Timeout, Expr::NonProgress, Expr::Accepting, Expr::Pid, Expr::ProcessCount, Expr::Last];
    prop_oneof![value().prop_map(Expr::Constant), select(words)].boxed()
}

/// An expression of some depth.
pub(super) fn expr() -> impl Strategy<Value = Expr> + Clone {
    let recursive = flat_expr().prop_recursive(4, 16, 3, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let pid = option::of(boxed.clone());
        let unary_op = select(UNARY_OPS.map(|(op, _)| op).to_vec());
        let binary_op = select(BINARY_OPS.map(|(op, _)| op).to_vec());
        let test = select(CHANNEL_TESTS.map(|(test, _)| test).to_vec());
        let proctype = number().prop_map(ProctypeId);
        let location = number().prop_map(LocationId);
        prop_oneof![
            place(inner.clone()).prop_map(Expr::Load),
            (unary_op, boxed.clone()).prop_map(|(op, operand)| Expr::Unary(op, operand)),
            (binary_op, inner.clone(), inner.clone())
                .prop_map(|(op, first, second)| Expr::Binary(op, Box::new((first, second)))),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|parts| Expr::Conditional(Box::new(parts))),
            (test, boxed.clone()).prop_map(|(test, channel)| Expr::Channel(test, channel)),
            (boxed.clone(), any::<bool>(), patterns(inner.clone())).prop_map(
                |(channel, random, patterns)| Expr::Poll { channel, random, patterns: patterns.into() }
            ),
            boxed.clone().prop_map(Expr::Enabled),
            boxed.clone().prop_map(Expr::PcValue),
            boxed.clone().prop_map(Expr::Priority),
            (proctype.clone(), pid.clone(), location).prop_map(|(proctype, pid, location)| Expr::At {
                proctype,
                pid,
                location
            }),
            (proctype, pid, place(inner).prop_map(Box::new))
                .prop_map(|(proctype, pid, place)| Expr::Remote { proctype, pid, place }),
        ]
    });
    recursive.boxed()
}

fn print_piece() -> impl Strategy<Value = Print> {
    let words = vec![Print::Decimal, Print::Unsigned, Print::Hexadecimal, Print::Octal, Print::Character];
    prop_oneof![
        name().prop_map(Print::Text),
        select(words),
        number().prop_map(|set| Print::Symbol(MtypeId(set))),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    let exprs = || vec(expr(), 0..3);
    let location = || number().prop_map(LocationId);
    prop_oneof![
        select(vec![Action::Skip, Action::Else, Action::Terminate]),
        expr().prop_map(Action::Condition),
        expr().prop_map(Action::Assert),
        (place(expr()), expr()).prop_map(|(place, value)| Action::Assign(place, value)),
        vec((place(expr()), expr()), 0..3).prop_map(Action::AssignAll),
        (expr(), any::<bool>(), exprs()).prop_map(|(channel, sorted, values)| Action::Send {
            channel,
            sorted,
            values
        }),
        (expr(), any::<bool>(), any::<bool>(), patterns(expr())).prop_map(
            |(channel, random, keep, patterns)| Action::Receive { channel, random, keep, patterns }
        ),
        (number(), exprs(), option::of(expr()), option::of(place(expr()))).prop_map(
            |(proctype, arguments, priority, result)| Action::Run {
                proctype: ProctypeId(proctype),
                arguments,
                priority: priority.map(Box::new),
                result: result.map(Box::new),
            }
        ),
        (vec(print_piece(), 0..4), exprs())
            .prop_map(|(format, arguments)| Action::Print { format, arguments }),
        (expr(), expr()).prop_map(|(pid, priority)| Action::SetPriority {
            pid: Box::new(pid),
            priority: Box::new(priority)
        }),
        (location(), location()).prop_map(|(entry, exit)| Action::DStep { entry, exit }),
    ]
}

fn transition() -> impl Strategy<Value = Transition> {
    (action(), number(), any::<bool>(), vec(number(), 0..3), name(), span(), vec(span(), 0..3)).prop_map(
        |(action, target, atomic, resets, text, span, calls)| Transition {
            action,
            target: LocationId(target),
            atomic,
            resets: resets.into(),
            text: text.into(),
            span,
            calls: calls.into(),
        },
    )
}

fn location() -> impl Strategy<Value = Location> {
    let groups = vec(vec(number().prop_map(TransitionId), 0..3), 0..3);
    (groups, vec(name(), 0..3), any::<[bool; 3]>(), option::of(span())).prop_map(
        |(groups, labels, [is_end, is_progress, is_accept], span)| Location {
            groups: groups.into(),
            labels,
            is_end,
            is_progress,
            is_accept,
            span,
        },
    )
}

fn start() -> impl Strategy<Value = Start> {
    prop_oneof![
        (place(expr()), expr()).prop_map(|(place, value)| Start::Assign(place, value)),
        (number(), number()).prop_map(|(slot, kind)| Start::Channel(slot, ChannelKindId(kind))),
    ]
}

fn exclusive() -> impl Strategy<Value = Exclusive> {
    (any::<bool>(), expr(), span()).prop_map(|(receive, channel, span)| Exclusive { receive, channel, span })
}

fn automaton() -> impl Strategy<Value = Proctype> {
    (
        (name(), frame(), number(), span(), any::<bool>()),
        vec(start(), 0..2),
        number(),
        vec(location(), 0..4),
        vec(transition(), 0..5),
        option::of(expr()),
        vec(exclusive(), 0..2),
    )
        .prop_map(|(head, start, initial, locations, transitions, provided, exclusive)| {
            let (name, frame, parameters, span, deterministic) = head;
            Proctype {
                name,
                frame,
                parameters,
                start,
                initial: LocationId(initial),
                locations: locations.into(),
                transitions: transitions.into(),
                provided,
                deterministic,
                exclusive,
                span,
            }
        })
}

fn formula() -> impl Strategy<Value = Formula> {
    expr().prop_map(Formula::Now).prop_recursive(4, 12, 2, |inner| {
        let unary: [fn(Box<Formula>) -> Formula; 4] =
            [Formula::Not, Formula::Always, Formula::Eventually, Formula::Next];
        type Binary = fn(Box<(Formula, Formula)>) -> Formula;
        let binary: [Binary; 7] = [
            Formula::And,
            Formula::Or,
            Formula::Implies,
            Formula::Equivalent,
            Formula::Until,
            Formula::WeakUntil,
            Formula::Release,
        ];
        prop_oneof![
            (0..unary.len(), inner.clone()).prop_map(move |(op, operand)| unary[op](Box::new(operand))),
            (0..binary.len(), inner.clone(), inner)
                .prop_map(move |(op, first, second)| binary[op](Box::new((first, second)))),
        ]
    })
}

fn formulas() -> impl Strategy<Value = Vec<NamedFormula>> {
    let formula = (name(), formula(), name(), span()).prop_map(|(name, formula, text, span)| NamedFormula {
        name,
        formula,
        text,
        span,
    });
    vec(formula, 0..3)
}

fn traces() -> impl Strategy<Value = Vec<Trace>> {
    let trace =
        (any::<bool>(), automaton()).prop_map(|(forbidden, automaton)| Trace { forbidden, automaton });
    vec(trace, 0..2)
}
