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
    /// Those that the proctype at hand knows, with their capacities.
    channels: Vec<(Place, u32)>,
    /// How channels are made by processes and handed down, if they are.
    families: Option<Families>,
    /// The channels that processes of the proctype at hand give to those they create.
    to_give: Vec<Place>,
    /// They do little else with them.
    is_giver: bool,
    /// One thing after the other, all of it about channels.
    is_straight: bool,
    /// A variable that holds one of the channels, and another that is sent around in messages.
    channel_variable: Option<Place>,
    n_proctypes: u32,
    is_dynamic: bool,
    /// Numbers of processes mean nothing.
    is_nameless: bool,
    /// Conditions are mostly about channels.
    is_about_channels: bool,
}

/// How processes make channels and hand them down. Kinds are indices into [`KINDS`].
struct Families {
    first_kind: u32,
    /// Per proctype: the channels that it is given...
    given: Vec<Vec<usize>>,
    /// ...and those that it makes.
    made: Vec<Vec<usize>>,
    /// Handles may also go other ways.
    stray: bool,
}

/// The channels that processes make: capacities, and what is in a message.
const KINDS: [(u32, Scalar); 4] = [(0, Scalar::Bit), (1, Scalar::Bit), (2, Scalar::Bit), (1, Scalar::Chan)];

fn place(scope: Scope, base: u32, scalar: Scalar) -> Place {
    Place { scope, base, indices: Default::default(), scalar }
}

fn span() -> Span {
    Span::new(FileId(0), 0, 0)
}

/// A small system.
pub fn system(rng: &mut SmallRng) -> System {
    system_with(rng, false, false)
}

/// A small system in which processes are created and nobody looks at their numbers.
pub fn nameless_system(rng: &mut SmallRng) -> System {
    system_with(rng, true, false)
}

/// A small system in which the first process creates all others and may wait until they are gone.
pub fn joining_system(rng: &mut SmallRng) -> System {
    let mut system = system_with(rng, true, false);
    system.processes.truncate(1);
    for transition in &mut system.proctypes[0].transitions {
        if matches!(transition.action, Action::Condition(_) | Action::Skip | Action::Assert(_))
            && rng.random_bool(0.6)
        {
            let before = if rng.random_bool(0.7) { Expr::Constant(1) } else { Expr::Load(local()) };
            transition.action = Action::Condition(binary(BinaryOp::Equal, before, Expr::ProcessCount));
        }
    }
    system
}

/// A small system in which processes count, and look at how far they came.
pub fn counting_system(rng: &mut SmallRng) -> System {
    let mut system = system_with(rng, false, false);
    for code in &mut system.proctypes {
        let by = if rng.random_bool(0.5) { BinaryOp::Add } else { BinaryOp::Subtract };
        for transition in &mut code.transitions {
            match &transition.action {
                Action::Assign(place, _) if *place == local() && rng.random_bool(0.9) => {
                    let counted = binary(by, Expr::Load(local()), Expr::Constant(1));
                    transition.action = Action::Assign(local(), counted);
                }
                Action::Condition(_) | Action::Skip if rng.random_bool(0.8) => {
                    let mut condition = bound(rng);
                    if rng.random_bool(0.2) {
                        condition = binary(BinaryOp::And, condition, bound(rng));
                    }
                    transition.action = Action::Condition(condition);
                }
                _ => {}
            }
        }
    }
    system
}

/// A comparison of the local variable with a constant.
fn bound(rng: &mut SmallRng) -> Expr {
    let ops = [
        BinaryOp::Less,
        BinaryOp::LessEqual,
        BinaryOp::Greater,
        BinaryOp::GreaterEqual,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
    ];
    let (op, constant) = (ops[rng.random_range(0..ops.len())], Expr::Constant(rng.random_range(0..4)));
    match rng.random_bool(0.8) {
        true => binary(op, Expr::Load(local()), constant),
        false => binary(op, constant, Expr::Load(local())),
    }
}

/// A small system in which processes make channels and give them to those that they create; sometimes handles go other ways, too.
pub fn family_system(rng: &mut SmallRng) -> System {
    system_with(rng, true, true)
}

fn system_with(rng: &mut SmallRng, is_nameless: bool, has_families: bool) -> System {
    let mut system = System { mtypes: vec![Mtype::default()], ..System::default() };
    let mut shared = Shared {
        globals: Vec::new(),
        array: None,
        channels: Vec::new(),
        families: None,
        to_give: Vec::new(),
        is_giver: false,
        is_straight: has_families && rng.random_bool(0.6),
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
        let shape = Shape::Array(std::sync::Arc::new(Shape::Scalar(Scalar::Bit)), 2);
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
    if has_families {
        let families = families(rng, &mut system, shared.n_proctypes);
        if families.stray {
            let base = system.globals.push("y", Shape::Scalar(Scalar::Chan), span());
            shared.channel_variable = Some(place(Scope::Global, base, Scalar::Chan));
        }
        shared.families = Some(families);
    }
    let global_channels = shared.channels.clone();
    for i in 0..shared.n_proctypes {
        if let Some(families) = &shared.families {
            shared.channels = families.known_to(i);
            let n_global = if rng.random_bool(0.3) { global_channels.len() } else { 0 };
            shared.channels.extend_from_slice(&global_channels[..n_global]);
            shared.to_give = shared.channels.iter().map(|(place, _)| place.clone()).collect();
            shared.is_giver = i > 0 && rng.random_bool(0.4);
            if shared.is_giver {
                shared.channels.drain(..families.given[i as usize].len());
            }
        }
        let proctype = proctype(rng, &shared, i);
        system.proctypes.push(proctype);
    }
    for i in 0..shared.n_proctypes {
        let often = if is_nameless { 0.3 } else { 0.6 };
        let is_given =
            shared.families.as_ref().is_some_and(|families| !families.given[i as usize].is_empty());
        let is_initial = i == 0 || !shared.is_dynamic || !is_given && rng.random_bool(often);
        // Two of a kind need not wait for each other.
        let times = 1 + (is_initial && has_families && rng.random_bool(0.3)) as usize;
        for _ in 0..if is_initial { times } else { 0 } {
            system.processes.push(InitialProcess { proctype: ProctypeId(i), priority: 1 });
        }
    }
    system
}

/// Decides who knows which channels.
fn families(rng: &mut SmallRng, system: &mut System, n_proctypes: u32) -> Families {
    let first_kind = system.channels.len() as u32;
    for (capacity, scalar) in KINDS {
        let fields = vec![scalar];
        system.channels.push(ChannelKind { name: "made".into(), capacity, fields, span: span() });
    }
    let stray = rng.random_bool(0.25);
    // Mostly one kind, so that what is given is what is expected.
    let favourite = rng.random_range(0..3);
    let mut kinds = |least: usize, most: usize| -> Vec<usize> {
        let n_channels = rng.random_range(least..=most);
        let kind = |_| match rng.random_range(0..10) {
            0 if stray => 3,
            0..2 => rng.random_range(0..3),
            _ => favourite,
        };
        (0..n_channels).map(kind).collect()
    };
    let given = (0..n_proctypes).map(|i| if i == 0 { Vec::new() } else { kinds(1, 2) }).collect();
    let made = (0..n_proctypes).map(|i| if i == 0 { kinds(1, 2) } else { kinds(0, 1) }).collect();
    Families { first_kind, given, made, stray }
}

impl Families {
    /// The channels that a proctype knows: behind its two other variables, those that it is given first.
    fn known_to(&self, proctype: u32) -> Vec<(Place, u32)> {
        let known = self.given[proctype as usize].iter().chain(&self.made[proctype as usize]);
        let channel =
            |(i, kind): (usize, &usize)| (place(Scope::Local, 2 + i as u32, Scalar::Chan), KINDS[*kind].0);
        known.enumerate().map(channel).collect()
    }

    /// Adds the channels of a proctype to its frame, and how many more may be created in a row.
    fn declare(&self, proctype: u32, code: &mut Proctype) {
        code.frame.push("d", Shape::Scalar(LOCAL), span());
        for i in 0..self.given[proctype as usize].len() {
            code.frame.push(format!("p{i}"), Shape::Scalar(Scalar::Chan), span());
        }
        code.parameters = code.frame.slots();
        for (i, kind) in self.made[proctype as usize].iter().enumerate() {
            let slot = code.frame.push(format!("q{i}"), Shape::Scalar(Scalar::Chan), span());
            code.start.push(Start::Channel(slot, ChannelKindId(self.first_kind + *kind as u32)));
        }
    }
}

/// How many more may be created in a row.
fn depth() -> Place {
    place(Scope::Local, 1, LOCAL)
}

/// Creates a process, with some of the channels that the creator knows.
fn run(rng: &mut SmallRng, shared: &Shared, proctype: u32, depth: Expr) -> Action {
    let mut arguments = Vec::new();
    if let Some(families) = &shared.families {
        arguments.push(if rng.random_bool(0.5) { Expr::Load(local()) } else { Expr::Constant(1) });
        arguments.push(depth);
        for _ in &families.given[proctype as usize] {
            arguments.push(match shared.to_give.is_empty() {
                true => Expr::Constant(0),
                false => Expr::Load(pick(rng, &shared.to_give).clone()),
            });
        }
    }
    let proctype = ProctypeId(proctype);
    Action::Run { proctype, arguments, priority: None, result: None }
}

/// What is not allowed to be done with a channel that is handed down.
fn stray(rng: &mut SmallRng, shared: &Shared) -> Option<Action> {
    let locals: Vec<&Place> =
        shared.channels.iter().map(|(place, _)| place).filter(|place| place.scope == Scope::Local).collect();
    if locals.is_empty() {
        return None;
    }
    let (one, other) = (pick(rng, &locals), pick(rng, &locals));
    let value = Expr::Load((*one).clone());
    Some(match rng.random_range(0..5) {
        0 => Action::Assign((*other).clone(), value),
        1 => Action::Assign(shared.channel_variable.clone()?, value),
        2 => Action::Condition(binary(BinaryOp::Equal, value, Expr::Constant(3))),
        3 => Action::Send { channel: Expr::Load((*other).clone()), sorted: false, values: vec![value] },
        _ => Action::Receive {
            channel: value,
            random: false,
            keep: false,
            patterns: vec![Pattern::Store((*other).clone())],
        },
    })
}

fn proctype(rng: &mut SmallRng, shared: &Shared, index: u32) -> Proctype {
    let mut frame = Frame::default();
    frame.push("l", Shape::Scalar(LOCAL), span());
    let n_locations = rng.random_range(2..=if shared.families.is_some() { 3 } else { 4u32 });
    let mut code = Proctype {
        name: format!("P{index}"),
        frame,
        parameters: 0,
        start: Vec::new(),
        initial: LocationId(0),
        locations: vec![Location::default(); n_locations as usize + 1].into(),
        transitions: Default::default(),
        provided: None,
        deterministic: rng.random_bool(0.05),
        exclusive: Vec::new(),
        span: span(),
    };
    if rng.random_bool(0.15) {
        let value = Expr::Load(pick(rng, &shared.globals).clone());
        code.start.push(Start::Assign(place(Scope::Local, 0, LOCAL), value));
    }
    if let Some(families) = &shared.families {
        families.declare(index, &mut code);
    }
    if rng.random_bool(0.05) {
        code.provided = Some(global_test(rng, shared));
    }
    if rng.random_bool(0.1) && !shared.channels.is_empty() && !shared.is_nameless {
        let channel = Expr::Load(pick(rng, &shared.channels).0.clone());
        code.exclusive.push(Exclusive { receive: rng.random_bool(0.5), channel, span: span() });
    }
    for location in 0..n_locations {
        let n_edges = [1, 1, 1, 2, 2, 3][rng.random_range(0..if shared.is_straight { 4 } else { 6 })];
        let mut edges: Vec<TransitionId> = Vec::new();
        for edge in 0..n_edges {
            let is_next =
                if shared.is_straight { rng.random_bool(0.95) } else { edge == 0 && rng.random_bool(0.8) };
            let target = if is_next { location + 1 } else { rng.random_range(0..=n_locations) };
            let is_last = edge > 0 && edge + 1 == n_edges;
            let action = if is_last && rng.random_bool(0.25) {
                Action::Else
            } else {
                action(rng, shared, index, target > location)
            };
            let mut atomic = rng.random_bool(0.22);
            if shared.families.is_some() && rng.random_bool(0.08) {
                let guarded = guarded_run(rng, shared, &mut code, target);
                edges.push(guarded);
                continue;
            }
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
        code.locations[location as usize].groups = groups.into();
    }
    let death = push(&mut code, Action::Terminate, n_locations, false);
    code.locations[n_locations as usize] =
        Location { groups: vec![vec![death]].into(), is_end: true, ..Location::default() };
    code
}

fn push(code: &mut Proctype, action: Action, target: u32, atomic: bool) -> TransitionId {
    code.transitions.push(Transition {
        action,
        target: LocationId(target),
        atomic,
        resets: Default::default(),
        text: "".into(),
        span: span(),
        calls: Default::default(),
    });
    TransitionId(code.transitions.len() as u32 - 1)
}

/// Creates any process, but only so many in a row, or where nothing else can be done.
fn guarded_run(rng: &mut SmallRng, shared: &Shared, code: &mut Proctype, target: u32) -> TransitionId {
    let between = code.locations.len() as u32;
    let (guard, depth) = if rng.random_bool(0.7) {
        let less = binary(BinaryOp::Subtract, Expr::Load(depth()), Expr::Constant(1));
        (binary(BinaryOp::Greater, Expr::Load(depth()), Expr::Constant(0)), less)
    } else {
        (Expr::Timeout, Expr::Constant(0))
    };
    let proctype = rng.random_range(0..shared.n_proctypes);
    let action = run(rng, shared, proctype, depth);
    let creation = push(code, action, target, false);
    code.locations.push(Location { groups: vec![vec![creation]].into(), ..Location::default() });
    let atomic = rng.random_bool(0.2);
    push(code, Action::Condition(guard), between, atomic)
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
        code.locations[(first + i) as usize].groups = vec![vec![transition]].into();
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
                patterns: vec![Pattern::Match(Expr::Constant(rng.random_range(0..=1)))].into(),
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
    if shared.families.is_some()
        && is_forward
        && index + 1 < shared.n_proctypes
        && rng.random_bool(if shared.is_giver { 0.5 } else { 0.2 })
    {
        let (proctype, depth) = (rng.random_range(index + 1..shared.n_proctypes), rng.random_range(0..=2));
        return run(rng, shared, proctype, Expr::Constant(depth));
    }
    if shared.families.is_some()
        && rng.random_bool(if shared.is_straight { 0.8 } else { 0.4 })
        && let Some(message) = message(rng, shared)
    {
        return message;
    }
    match rng.random_range(0..100) {
        0..15 if shared.is_nameless && is_forward && index + 1 < shared.n_proctypes => {
            let proctype = rng.random_range(index + 1..shared.n_proctypes);
            run(rng, shared, proctype, Expr::Constant(0))
        }
        0..30 => Action::Condition(condition(rng, shared)),
        30..53 => message(rng, shared).unwrap_or_else(|| Action::Condition(condition(rng, shared))),
        53..57 if shared.families.as_ref().is_some_and(|families| families.stray) => {
            stray(rng, shared).unwrap_or(Action::Skip)
        }
        53..61 if shared.is_dynamic && is_forward && shared.families.is_none() => {
            let proctype =
                ProctypeId(rng.random_range(index.min(shared.n_proctypes - 1)..shared.n_proctypes));
            let result = (!shared.is_nameless && rng.random_bool(0.2)).then(local);
            Action::Run { proctype, arguments: Vec::new(), priority: None, result: result.map(Box::new) }
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
                let is_global = |channel: &&(Place, u32)| channel.0.scope == Scope::Global;
                let channels: Vec<_> = shared.channels.iter().filter(is_global).collect();
                if channels.is_empty() {
                    return Action::Skip;
                }
                Action::Assign(variable.clone(), Expr::Load(pick(rng, &channels).0.clone()))
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
