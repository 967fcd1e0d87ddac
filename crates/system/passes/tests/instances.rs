//! An instance means for its process what the proctype means.

mod common;

use allways_interpreter::{Interpreter, Semantics};
use allways_passes::{constants, global_values, instantiate};
use allways_system::{
    Action, BinaryOp, Expr, Fault, Index, Pid, Place, Proctype, ProctypeId, Scalar, Scope, Step, Successors,
    System, TransitionId, UnaryOp,
};
use common::{corpus, explore_with, system};
use proptest::prelude::*;
use proptest::sample::select;

/// A system with a proctype of its own for every process; none if processes come and go, or look at each other.
fn with_instances(system: &System, semantics: Semantics) -> Option<System> {
    let mut is_fixed = true;
    for transition in system.proctypes.iter().flat_map(|proctype| &proctype.transitions) {
        is_fixed &= !matches!(transition.action, Action::Run { .. });
        transition.action.walk(&mut |expr| {
            is_fixed &= !matches!(expr, Expr::At { .. } | Expr::Remote { .. });
        });
    }
    let state = Interpreter::new(system, semantics).initial().ok().filter(|_| is_fixed)?;
    let (constants, global_values) = (constants(system), global_values(system));
    assert_eq!(state.globals, global_values);
    let instance = |(pid, process): (usize, &allways_system::InitialProcess)| -> Proctype {
        let frame = state.frame(system, pid as Pid);
        instantiate(
            system,
            &constants,
            &global_values,
            process.proctype,
            pid as Pid,
            frame,
            semantics.check_overflow,
        )
    };
    let mut split = system.clone();
    split.proctypes = system.processes.iter().enumerate().map(instance).collect();
    for (pid, process) in split.processes.iter_mut().enumerate() {
        process.proctype = ProctypeId(pid as u32);
    }
    Some(split)
}

#[test]
fn models_of_instances_have_the_same_states() {
    let mut compared = 0;
    for (name, system) in corpus(&["semantics", "runtime"]) {
        for check_overflow in [false, true] {
            let semantics = Semantics { check_overflow, ..Semantics::default() };
            let Some(split) = with_instances(&system, semantics) else { continue };
            let plain = explore_with(&system, semantics, 3000, &mut |_| {});
            let instances = explore_with(&split, semantics, 3000, &mut |_| {});
            assert_eq!(plain.states, instances.states, "{name}");
            assert_eq!(plain.verdicts(), instances.verdicts(), "{name}");
            assert_eq!(plain.fault, instances.fault, "{name}");
            compared += 1;
        }
    }
    assert!(compared > 500, "only {compared} models were compared");
}

#[test]
fn what_never_changes_disappears() {
    let system = system(
        "byte n = 3; chan q = [2] of { byte }; byte a[4]; byte x;
         active [2] proctype p() { byte me = _pid * 2; byte v; a[me] = n; v = a[n - me]; q!v + x; x = 1; v = 1 }",
    );
    let split = with_instances(&system, Semantics::default()).unwrap();
    let actions: Vec<&Action> = split.proctypes[1].transitions.iter().map(|t| &t.action).collect();
    let place = |scope, base, scalar| Place { scope, base, indices: Default::default(), scalar };
    let written = place(Scope::Global, 4, Scalar::Byte);
    assert!(actions.contains(&&Action::Assign(written, Expr::Constant(3))), "{actions:?}");
    let read = Expr::Load(place(Scope::Global, 3, Scalar::Byte));
    assert!(actions.contains(&&Action::Assign(place(Scope::Local, 1, Scalar::Byte), read)), "{actions:?}");
    let is_send =
        |action: &&&Action| matches!(action, Action::Send { channel, .. } if *channel == Expr::Constant(1));
    assert!(actions.iter().find(is_send).is_some(), "{actions:?}");
}

/// A proctype that stores the value of an expression and one that stores a value in a place; two processes.
fn storing(value: Expr, written: Place) -> System {
    let mut system = system(
        "int r; byte n = 2; byte z; byte a[3] = 1; byte x = 1;
         active [2] proctype p() { byte c = 2; byte k = _pid; byte v; byte w[3];
           r = 0; z = 7; x++; v++; w[x] = 1; a[v] = 5 }",
    );
    for transition in &mut system.proctypes[0].transitions {
        match &mut transition.action {
            Action::Assign(place, Expr::Constant(0)) => {
                transition.action = Action::Assign(place.clone(), value.clone());
            }
            Action::Assign(place, Expr::Constant(7)) => *place = written.clone(),
            _ => {}
        }
    }
    system
}

/// Slots of the system above, sometimes with an index that may be out of range.
fn place(expr: BoxedStrategy<Expr>) -> impl Strategy<Value = Place> {
    let plain = select(vec![
        (Scope::Global, 1),
        (Scope::Global, 3),
        (Scope::Global, 6),
        (Scope::Local, 0),
        (Scope::Local, 1),
        (Scope::Local, 2),
    ]);
    let plain = plain.prop_map(|(scope, base)| Place {
        scope,
        base,
        indices: Default::default(),
        scalar: Scalar::Byte,
    });
    let arrays = select(vec![(Scope::Global, 3), (Scope::Local, 3)]);
    let indexed = (arrays, expr).prop_map(|((scope, base), value)| {
        let indices = vec![Index { value, stride: 1, bound: 3 }];
        Place { scope, base, indices: indices.into(), scalar: Scalar::Byte }
    });
    prop_oneof![2 => plain, 1 => indexed]
}

fn expr() -> BoxedStrategy<Expr> {
    use BinaryOp::*;
    let value = prop_oneof![4 => -2..4i32, 1 => select(vec![i32::MIN, i32::MAX, 32, 256])];
    let flat = prop_oneof![3 => value.prop_map(Expr::Constant), 1 => Just(Expr::Pid)].boxed();
    let leaf = prop_oneof![flat.clone(), place(flat).prop_map(Expr::Load)];
    leaf.prop_recursive(4, 20, 3, |inner| {
        let unary = select(vec![UnaryOp::Negate, UnaryOp::Not, UnaryOp::Complement]);
        let binary = select(vec![
            Add, Subtract, Multiply, Divide, Remainder, ShiftLeft, ShiftRight, BitAnd, And, Or, And, Or,
            Equal, Less,
        ]);
        let remote =
            place(inner.clone()).prop_filter("a local place", |place| place.scope == Scope::Local).boxed();
        prop_oneof![
            1 => (unary, inner.clone()).prop_map(|(op, a)| Expr::Unary(op, Box::new(a))),
            4 => (binary, inner.clone(), inner.clone())
                .prop_map(|(op, a, b)| Expr::Binary(op, Box::new((a, b)))),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|parts| Expr::Conditional(Box::new(parts))),
            2 => place(inner.clone().boxed()).prop_map(Expr::Load),
            1 => (inner, remote).prop_map(|(pid, place)| Expr::Remote {
                proctype: ProctypeId(0),
                pid: Some(Box::new(pid)),
                place: Box::new(place),
            }),
        ]
    })
    .boxed()
}

/// What comes of taking a transition in the initial state.
fn outcome(
    system: &System,
    instance: Option<&Proctype>,
    step: Step,
    semantics: Semantics,
) -> Result<(Vec<i32>, Vec<i32>), Fault> {
    let mut system = system.clone();
    if let Some(instance) = instance {
        // The start must stay: it is the same for both processes.
        system.proctypes[0].transitions = instance.transitions.clone();
    }
    let model = Interpreter::new(&system, semantics);
    let mut state = model.initial()?;
    model.apply(&mut state, step, None)?;
    Ok((state.globals, state.locals))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn expressions_keep_their_values_and_faults(
        value in expr(),
        written in place(expr()),
        pid in 0..2u32,
        check_overflow: bool,
    ) {
        let semantics = Semantics { check_overflow, ..Semantics::default() };
        let system = storing(value, written);
        prop_assert_eq!(allways_system::verify::verify(&system), vec![]);
        let state = Interpreter::new(&system, semantics).initial().unwrap();
        let instance = instantiate(
            &system,
            &constants(&system),
            &global_values(&system),
            ProctypeId(0),
            pid,
            state.frame(&system, pid),
            check_overflow,
        );
        for transition in 0..instance.transitions.len() as u32 {
            if matches!(instance.transitions[transition as usize].action, Action::Terminate) {
                continue;
            }
            let step = Step { pid, transition: TransitionId(transition), partner: None };
            let plain = outcome(&system, None, step, semantics);
            prop_assert_eq!(plain, outcome(&system, Some(&instance), step, semantics));
        }
    }
}
