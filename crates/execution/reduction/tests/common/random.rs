//! Random systems: small, loopy, with everything that makes reduction go wrong.

use allways_source::{FileId, Span};
use allways_system::*;
use rand::Rng;
use rand::rngs::SmallRng;

const LOCAL: Scalar = Scalar::Unsigned(2);

/// What the proctypes of a system share.
struct Shared {
    globals: Vec<Place>,
    /// Two elements.
    array: Option<u32>,
    channels: Vec<(Place, u32)>,
    /// A variable that holds one of the channels, and another that is sent around in messages.
    channel_variable: Option<Place>,
    n_proctypes: u32,
    is_dynamic: bool,
    /// Numbers of processes mean nothing.
    is_nameless: bool,
    /// Conditions are mostly about channels.
    is_about_channels: bool,
}

fn place(scope: Scope, base: u32, scalar: Scalar) -> Place {
    Place { scope, base, indices: Vec::new(), scalar }
}

fn span() -> Span {
    Span::new(FileId(0), 0, 0)
}

/// A small system.
pub fn system(rng: &mut SmallRng) -> System {
    system_with(rng, false)
}

/// A small system in which processes are created and nobody looks at their numbers.
pub fn nameless_system(rng: &mut SmallRng) -> System {
    system_with(rng, true)
}

fn system_with(rng: &mut SmallRng, is_nameless: bool) -> System {
    let mut system = System { mtypes: vec![Mtype::default()], ..System::default() };
    let mut shared = Shared {
        globals: Vec::new(),
        array: None,
        channels: Vec::new(),
        channel_variable: None,
        n_proctypes: [2, 3, 3, 3, 4][rng.random_range(0..5)],
        is_dynamic: is_nameless || rng.random_bool(0.35),
        is_nameless,
        is_about_channels: rng.random_bool(0.25),
    };
    for i in 0..rng.random_range(1..=3) {
        let scalar = if rng.random_bool(0.5) { Scalar::Bit } else { Scalar::Unsigned(2) };
        let base = system.globals.push(format!("g{i}"), Shape::Scalar(scalar), span());
        shared.globals.push(place(Scope::Global, base, scalar));
    }
    if rng.random_bool(0.3) {
        let shape = Shape::Array(Box::new(Shape::Scalar(Scalar::Bit)), 2);
        shared.array = Some(system.globals.push("a", shape, span()));
    }
    for i in 0..rng.random_range(0..=2) {
        let capacity = [0, 0, 1, 1, 2][rng.random_range(0..5)];
        let kind = ChannelKindId(system.channels.len() as u32);
        system.channels.push(ChannelKind {
            name: format!("c{i}"),
            capacity,
            fields: vec![Scalar::Bit],
            span: span(),
        });
        let base = system.globals.push(format!("c{i}"), Shape::Scalar(Scalar::Chan), span());
        system.globals.variables.last_mut().unwrap().initial = vec![Initial::Channel(kind)];
        shared.channels.push((place(Scope::Global, base, Scalar::Chan), capacity));
    }
    if shared.channels.len() == 2 && rng.random_bool(0.3) {
        let base = system.globals.push("z", Shape::Scalar(Scalar::Chan), span());
        system.globals.variables.last_mut().unwrap().initial = vec![Initial::Value(1)];
        shared.channel_variable = Some(place(Scope::Global, base, Scalar::Chan));
    }
    for i in 0..shared.n_proctypes {
        let proctype = proctype(rng, &shared, i);
        system.proctypes.push(proctype);
    }
    for i in 0..shared.n_proctypes {
        let often = if is_nameless { 0.3 } else { 0.6 };
        let is_initial = i == 0 || !shared.is_dynamic || rng.random_bool(often);
        if is_initial {
            system.processes.push(InitialProcess { proctype: ProctypeId(i), priority: 1 });
        }
    }
    system
}

fn proctype(rng: &mut SmallRng, shared: &Shared, index: u32) -> Proctype {
    let mut frame = Frame::default();
    frame.push("l", Shape::Scalar(LOCAL), span());
    let n_locations = rng.random_range(2..=4u32);
    let mut code = Proctype {
        name: format!("P{index}"),
        frame,
        parameters: 0,
        start: Vec::new(),
        initial: LocationId(0),
        locations: vec![Location::default(); n_locations as usize + 1],
        transitions: Vec::new(),
        provided: None,
        deterministic: rng.random_bool(0.05),
        exclusive: Vec::new(),
        span: span(),
    };
    if rng.random_bool(0.15) {
        let value = Expr::Load(pick(rng, &shared.globals).clone());
        code.start.push(Start::Assign(place(Scope::Local, 0, LOCAL), value));
    }
    if rng.random_bool(0.05) {
        code.provided = Some(global_test(rng, shared));
    }
    if rng.random_bool(0.1) && !shared.channels.is_empty() && !shared.is_nameless {
        let channel = Expr::Load(pick(rng, &shared.channels).0.clone());
        code.exclusive.push(Exclusive { receive: rng.random_bool(0.5), channel, span: span() });
    }
    for location in 0..n_locations {
        let n_edges = [1, 1, 1, 2, 2, 3][rng.random_range(0..6)];
        let mut edges: Vec<TransitionId> = Vec::new();
        for edge in 0..n_edges {
            let target = if edge == 0 && rng.random_bool(0.8) {
                location + 1
            } else {
                rng.random_range(0..=n_locations)
            };
            let is_last = edge > 0 && edge + 1 == n_edges;
            let action = if is_last && rng.random_bool(0.25) {
                Action::Else
            } else {
                action(rng, shared, index, target > location)
            };
            let mut atomic = rng.random_bool(0.22);
            if rng.random_bool(0.06) {
                let (entry, exit) = d_step(rng, shared, index, &mut code);
                edges.push(push(&mut code, Action::DStep { entry, exit }, target, atomic));
                continue;
            }
            atomic &= target != n_locations;
            edges.push(push(&mut code, action, target, atomic));
        }
        // Sometimes the first edge is an escape from the others.
        let groups = if edges.len() > 1 && rng.random_bool(0.12) {
            let rest = edges.split_off(1);
            vec![edges, rest]
        } else {
            vec![edges]
        };
        code.locations[location as usize].groups = groups;
    }
    let death = push(&mut code, Action::Terminate, n_locations, false);
    code.locations[n_locations as usize] =
        Location { groups: vec![vec![death]], is_end: true, ..Location::default() };
    code
}

fn push(code: &mut Proctype, action: Action, target: u32, atomic: bool) -> TransitionId {
    code.transitions.push(Transition {
        action,
        target: LocationId(target),
        atomic,
        resets: Vec::new(),
        text: String::new(),
        span: span(),
        calls: Vec::new(),
    });
    TransitionId(code.transitions.len() as u32 - 1)
}

/// Two statements in one.
fn d_step(rng: &mut SmallRng, shared: &Shared, index: u32, code: &mut Proctype) -> (LocationId, LocationId) {
    let first = code.locations.len() as u32;
    code.locations.extend(vec![Location::default(); 3]);
    for i in 0..2 {
        let action = loop {
            let action = action(rng, shared, index, false);
            if !matches!(action, Action::Run { .. }) {
                break action;
            }
        };
        let transition = push(code, action, first + i + 1, false);
        code.locations[(first + i) as usize].groups = vec![vec![transition]];
    }
    (LocationId(first), LocationId(first + 2))
}

fn pick<'a, T>(rng: &mut SmallRng, list: &'a [T]) -> &'a T {
    &list[rng.random_range(0..list.len())]
}

fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new((a, b)))
}

fn local() -> Place {
    place(Scope::Local, 0, LOCAL)
}

fn element(rng: &mut SmallRng, base: u32) -> Place {
    let mut element = place(Scope::Global, base, Scalar::Bit);
    match rng.random_range(0..4) {
        0 => element.base += 1,
        1 => {}
        _ => {
            let value = if rng.random_bool(0.8) {
                binary(BinaryOp::Remainder, Expr::Load(local()), Expr::Constant(2))
            } else {
                Expr::Load(local())
            };
            element.indices.push(Index { value, stride: 1, bound: 2 });
        }
    }
    element
}

fn compare(rng: &mut SmallRng, value: Expr) -> Expr {
    let op = if rng.random_bool(0.5) { BinaryOp::Equal } else { BinaryOp::NotEqual };
    binary(op, value, Expr::Constant(rng.random_range(0..=1)))
}

fn global_test(rng: &mut SmallRng, shared: &Shared) -> Expr {
    let value = Expr::Load(pick(rng, &shared.globals).clone());
    compare(rng, value)
}

fn channel(rng: &mut SmallRng, shared: &Shared) -> Option<(Expr, u32)> {
    if shared.channels.is_empty() {
        return None;
    }
    if let Some(variable) = &shared.channel_variable
        && rng.random_bool(0.3)
    {
        return Some((Expr::Load(variable.clone()), 1));
    }
    let (place, capacity) = pick(rng, &shared.channels);
    Some((Expr::Load(place.clone()), *capacity))
}

fn condition(rng: &mut SmallRng, shared: &Shared) -> Expr {
    let kind = if shared.is_about_channels && rng.random_bool(0.6) { 90 } else { rng.random_range(0..100) };
    let mut test = match kind {
        0..55 => global_test(rng, shared),
        55..70 => compare(rng, Expr::Load(local())),
        70..78 if shared.array.is_some() => {
            let element = element(rng, shared.array.unwrap());
            compare(rng, Expr::Load(element))
        }
        78..86 if !shared.is_nameless => {
            let count = Expr::Constant(rng.random_range(1..=shared.n_proctypes as i32));
            binary(BinaryOp::Equal, Expr::ProcessCount, count)
        }
        86..94 => match channel(rng, shared) {
            Some((channel, capacity)) if capacity > 0 && rng.random_bool(0.3) => Expr::Poll {
                channel: Box::new(channel),
                random: rng.random_bool(0.3),
                patterns: vec![Pattern::Match(Expr::Constant(rng.random_range(0..=1)))],
            },
            Some((channel, _)) => {
                let test = *pick(
                    rng,
                    &[
                        ChannelTest::Len,
                        ChannelTest::Empty,
                        ChannelTest::NotEmpty,
                        ChannelTest::Full,
                        ChannelTest::NotFull,
                    ],
                );
                Expr::Channel(test, Box::new(channel))
            }
            None => global_test(rng, shared),
        },
        94..98 if shared.is_nameless => global_test(rng, shared),
        94..96 => Expr::At {
            proctype: ProctypeId(rng.random_range(0..shared.n_proctypes)),
            pid: None,
            location: LocationId(rng.random_range(0..3)),
        },
        96..98 => Expr::Remote {
            proctype: ProctypeId(rng.random_range(0..shared.n_proctypes)),
            pid: Some(Box::new(Expr::Constant(rng.random_range(0..shared.n_proctypes as i32)))),
            place: Box::new(local()),
        },
        98..100 => Expr::Timeout,
        _ => global_test(rng, shared),
    };
    if rng.random_bool(0.12) {
        let op = if rng.random_bool(0.7) { BinaryOp::And } else { BinaryOp::Or };
        test = binary(op, test, global_test(rng, shared));
    }
    if rng.random_bool(0.08) {
        test = Expr::Unary(UnaryOp::Not, Box::new(test));
    }
    test
}

fn action(rng: &mut SmallRng, shared: &Shared, index: u32, is_forward: bool) -> Action {
    match rng.random_range(0..100) {
        0..15 if shared.is_nameless && is_forward && index + 1 < shared.n_proctypes => {
            let proctype = ProctypeId(rng.random_range(index + 1..shared.n_proctypes));
            Action::Run { proctype, arguments: Vec::new(), priority: None, result: None }
        }
        0..30 => Action::Condition(condition(rng, shared)),
        30..53 => message(rng, shared).unwrap_or_else(|| Action::Condition(condition(rng, shared))),
        53..61 if shared.is_dynamic && is_forward => {
            let proctype =
                ProctypeId(rng.random_range(index.min(shared.n_proctypes - 1)..shared.n_proctypes));
            let result = (!shared.is_nameless && rng.random_bool(0.2)).then(local);
            Action::Run { proctype, arguments: Vec::new(), priority: None, result }
        }
        61..68 => {
            let check = match rng.random_range(0..4) {
                0 => Expr::Constant(0),
                1 => compare(rng, Expr::Load(local())),
                _ => global_test(rng, shared),
            };
            Action::Assert(check)
        }
        68..74 => {
            let global = pick(rng, &shared.globals).clone();
            let by = if rng.random_bool(0.7) { Expr::Constant(1) } else { Expr::Load(local()) };
            let sum = binary(BinaryOp::Add, Expr::Load(global.clone()), by);
            Action::Assign(global, sum)
        }
        74..80 => {
            let global = pick(rng, &shared.globals).clone();
            Action::Assign(global, Expr::Constant(rng.random_range(0..=1)))
        }
        80..84 => Action::Assign(local(), Expr::Load(pick(rng, &shared.globals).clone())),
        84..87 => Action::Assign(pick(rng, &shared.globals).clone(), Expr::Load(local())),
        87..91 if shared.array.is_some() => {
            let element = element(rng, shared.array.unwrap());
            Action::Assign(element, Expr::Constant(rng.random_range(0..=1)))
        }
        91..93 => match &shared.channel_variable {
            Some(variable) => {
                Action::Assign(variable.clone(), Expr::Load(pick(rng, &shared.channels).0.clone()))
            }
            None => Action::Skip,
        },
        93..95 => Action::Skip,
        95..97 => {
            let one_more = binary(BinaryOp::Add, Expr::Load(local()), Expr::Constant(1));
            Action::Assign(local(), one_more)
        }
        _ => Action::Assign(local(), Expr::Constant(rng.random_range(0..=1))),
    }
}

fn message(rng: &mut SmallRng, shared: &Shared) -> Option<Action> {
    let (channel, capacity) = channel(rng, shared)?;
    let value =
        if rng.random_bool(0.7) { Expr::Constant(rng.random_range(0..=1)) } else { Expr::Load(local()) };
    let is_special = capacity > 0 && rng.random_bool(0.15);
    Some(if rng.random_bool(0.5) {
        Action::Send { channel, sorted: is_special, values: vec![value] }
    } else {
        let pattern = match rng.random_range(0..10) {
            0..4 => Pattern::Store(local()),
            4..6 => Pattern::Store(pick(rng, &shared.globals).clone()),
            6..9 => Pattern::Match(value),
            _ => Pattern::Ignore,
        };
        let keep = capacity > 0 && rng.random_bool(0.15);
        Action::Receive { channel, random: is_special, keep, patterns: vec![pattern] }
    })
}
