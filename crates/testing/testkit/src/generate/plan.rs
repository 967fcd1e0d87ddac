//! What a model declares and who talks to whom, settled before any body is generated.

use super::dice::Dice;
use super::features::{Feature, Features};
use super::scope::Channel;
use super::tree::*;

pub struct Plan {
    pub mtypes: Vec<String>,
    pub typedefs: Vec<Typedef>,
    /// All global declarations, channels included.
    pub globals: Vec<Decl>,
    pub signatures: Vec<Signature>,
    /// The global channels.
    pub channels: Vec<Channel>,
    pub proctypes: Vec<ProctypePlan>,
    pub inlines: Vec<InlinePlan>,
    /// How many more processes may be created, those of all instances counted.
    pub spawns_left: u32,
    /// Statements per body, roughly.
    pub body_size: i32,
}

/// What the messages of a channel are made of. Two channels of one signature can stand for each other.
#[derive(Clone, Debug)]
pub struct Signature {
    pub fields: Vec<Field>,
    /// Zero for rendezvous.
    pub capacity: u32,
}

#[derive(Clone, Debug)]
pub enum Field {
    Value(Type),
    /// A channel of this signature, which itself carries no channels.
    Channel(usize),
}

#[derive(Clone, Debug)]
pub struct ProctypePlan {
    pub name: String,
    pub kind: ProctypeKind,
    pub params: Vec<Param>,
    /// Per global channel.
    pub roles: Vec<Role>,
    /// Whether some body is sure to run it; needed of passive proctypes.
    pub spawned: bool,
}

#[derive(Clone, Debug)]
pub enum Param {
    Value(Type),
    Channel { signature: usize, send: bool, receive: bool },
}

#[derive(Clone, Copy, Default, Debug)]
pub struct Role {
    pub send: bool,
    pub receive: bool,
}

#[derive(Clone, Debug)]
pub struct InlinePlan {
    pub name: String,
    pub formals: Vec<Formal>,
    /// Neither blocks nor loops, so that a d_step may call it.
    pub quiet: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum Formal {
    Value,
    Assigned,
    Channel { signature: usize },
}

impl Signature {
    pub fn rendezvous(&self) -> bool {
        self.capacity == 0
    }

    pub fn carries_channels(&self) -> bool {
        self.fields.iter().any(|field| matches!(field, Field::Channel(_)))
    }

    pub fn field_types(&self) -> Vec<Type> {
        let ty = |field: &Field| match field {
            Field::Value(ty) => ty.clone(),
            Field::Channel(_) => Type::Chan,
        };
        self.fields.iter().map(ty).collect()
    }
}

impl Plan {
    pub fn draw(dice: &mut Dice, features: &Features) -> Plan {
        let mut planner = Planner { dice, features };
        let mtypes = planner.mtypes();
        let typedefs = planner.typedefs();
        let mut globals = planner.variables(&typedefs);
        let signatures = planner.signatures();
        let channels = planner.channels(&signatures, &mut globals);
        let mut proctypes = planner.proctypes(&channels);
        planner.assign_roles(&mut proctypes, &channels, &signatures);
        let inlines = planner.inlines(&channels, &signatures);
        let processes = process_count(&proctypes);
        Plan {
            mtypes,
            typedefs,
            globals,
            signatures,
            channels,
            inlines,
            spawns_left: 5_u32.saturating_sub(processes),
            body_size: planner.body_size(processes),
            proctypes,
        }
    }
}

/// Processes that will exist for sure.
fn process_count(proctypes: &[ProctypePlan]) -> u32 {
    let count = |plan: &ProctypePlan| match plan.kind {
        ProctypeKind::Active(n) => n,
        ProctypeKind::Init | ProctypeKind::Passive => 1,
    };
    proctypes.iter().map(count).sum()
}

struct Planner<'a> {
    dice: &'a mut Dice,
    features: &'a Features,
}

impl Planner<'_> {
    fn mtypes(&mut self) -> Vec<String> {
        if !self.features.has(Feature::Mtypes) {
            return vec![];
        }
        (0..self.dice.between(2..=4)).map(|i| format!("M{i}")).collect()
    }

    fn typedefs(&mut self) -> Vec<Typedef> {
        if !self.features.has(Feature::Structs) {
            return vec![];
        }
        let inner = Typedef { name: "T0".into(), fields: self.fields("f") };
        if self.dice.chance(70) {
            return vec![inner];
        }
        let mut fields = self.fields("h");
        fields.push(Decl::scalar("inner", Type::Struct("T0".into())));
        vec![inner, Typedef { name: "T1".into(), fields }]
    }

    fn fields(&mut self, prefix: &str) -> Vec<Decl> {
        let mut fields: Vec<_> = (0..self.dice.between(1..=2))
            .map(|i| Decl::scalar(format!("{prefix}{i}"), self.value_type()))
            .collect();
        if self.features.has(Feature::Arrays) && self.dice.chance(50) {
            fields.push(Decl { len: Some(2), ..Decl::scalar(format!("{prefix}a"), Type::Byte) });
        }
        fields
    }

    /// The type of a scalar; small ones are frequent because they keep state spaces small.
    fn value_type(&mut self) -> Type {
        let wide = if self.features.has(Feature::WideTypes) { 8 } else { 0 };
        let mtype = if self.features.has(Feature::Mtypes) { 20 } else { 0 };
        let width = self.dice.between(1..=9) as u8;
        self.dice.weighted(&[
            (14, Type::Bit),
            (14, Type::Bool),
            (30, Type::Byte),
            (wide, Type::Short),
            (wide, Type::Int),
            (14, Type::Unsigned(width)),
            (mtype, Type::Mtype),
            (4, Type::Pid),
        ])
    }

    fn variables(&mut self, typedefs: &[Typedef]) -> Vec<Decl> {
        let mut globals: Vec<_> = (0..self.dice.between(2..=4)).map(|i| self.variable(i)).collect();
        if self.features.has(Feature::Arrays) {
            globals.push(self.array());
        }
        for (i, typedef) in typedefs.iter().enumerate() {
            let len = self.dice.chance(30).then_some(2);
            globals.push(Decl { len, ..Decl::scalar(format!("s{i}"), Type::Struct(typedef.name.clone())) });
        }
        globals
    }

    fn variable(&mut self, number: i32) -> Decl {
        let ty = self.value_type();
        // Initial values that do not fit are errors.
        let init = match ty {
            Type::Mtype => Expr::Mtype("M0".into()),
            Type::Bit | Type::Bool | Type::Unsigned(_) => Expr::Const(1),
            _ => Expr::Const(self.dice.weighted(&[(10, 1), (6, 2), (3, 7), (1, 255)])),
        };
        let init = self.dice.chance(35).then_some(init);
        Decl { init: init.map(Init::Value), ..Decl::scalar(format!("g{number}"), ty) }
    }

    fn array(&mut self) -> Decl {
        // Not bit or unsigned: pan keeps whole bytes for their elements.
        let ty = self.dice.weighted(&[(60, Type::Byte), (15, Type::Short), (15, Type::Int), (10, Type::Pid)]);
        let init = self.dice.weighted(&[
            (60, None),
            (20, Some(Init::Value(Expr::Const(1)))),
            (20, Some(Init::List(vec![0, 1]))),
        ]);
        Decl { name: "ga".into(), ty, len: Some(self.dice.between(2..=3) as u32), init }
    }

    fn signatures(&mut self) -> Vec<Signature> {
        let mut signatures = vec![];
        for (feature, buffered) in [(Feature::Buffered, true), (Feature::Rendezvous, false)] {
            if self.features.has(feature) {
                for _ in 0..self.dice.weighted(&[(70, 1), (30, 2)]) {
                    let signature = self.signature(buffered);
                    signatures.push(signature);
                }
            }
        }
        if self.features.has(Feature::ChannelMessages) && !signatures.is_empty() {
            let carried = self.dice.index(signatures.len());
            let capacity = signatures[self.dice.index(signatures.len())].capacity;
            let mut fields = vec![Field::Channel(carried)];
            if self.dice.chance(40) {
                fields.insert(0, Field::Value(Type::Byte));
            }
            signatures.push(Signature { fields, capacity });
        }
        signatures
    }

    fn signature(&mut self, buffered: bool) -> Signature {
        let fields =
            (0..self.dice.weighted(&[(55, 1), (35, 2), (10, 3)])).map(|_| Field::Value(self.field_type()));
        Signature {
            fields: fields.collect(),
            capacity: if buffered { self.dice.weighted(&[(55, 1), (37, 2), (8, 3)]) } else { 0 },
        }
    }

    fn field_type(&mut self) -> Type {
        match self.value_type() {
            // Not allowed as a field.
            Type::Unsigned(_) => Type::Byte,
            ty => ty,
        }
    }

    /// Draws the global channels and adds their declarations to the globals.
    fn channels(&mut self, signatures: &[Signature], globals: &mut Vec<Decl>) -> Vec<Channel> {
        let mut channels = vec![];
        for (number, signature) in signatures.iter().enumerate() {
            for _ in 0..self.dice.weighted(&[(75, 1), (25, 2)]) {
                let array = self.features.has(Feature::ChannelArrays) && self.dice.chance(50);
                let len = array.then_some(2);
                let name = format!("c{}", channels.len());
                let init = Init::Channel { capacity: signature.capacity, fields: signature.field_types() };
                globals.push(Decl { name: name.clone(), ty: Type::Chan, len, init: Some(init) });
                channels.push(Channel { name, len, signature: number, may_send: true, may_receive: true });
            }
        }
        channels
    }

    fn proctypes(&mut self, channels: &[Channel]) -> Vec<ProctypePlan> {
        let count = self.dice.weighted(&[(6, 1), (42, 2), (37, 3), (15, 4)]);
        let mut proctypes: Vec<_> = (0..count).map(|i| self.proctype(i, channels)).collect();
        let passive = proctypes.iter().any(|plan| plan.kind == ProctypeKind::Passive);
        if process_count(&proctypes) == 1 && !channels.is_empty() {
            proctypes[0].kind = ProctypeKind::Active(2);
            proctypes[0].params.clear();
        }
        if passive || self.features.has(Feature::Init) {
            let position = self.dice.weighted(&[(60, proctypes.len()), (40, 0)]);
            let name = "init".to_owned();
            let init =
                ProctypePlan { name, kind: ProctypeKind::Init, params: vec![], roles: vec![], spawned: true };
            proctypes.insert(position, init);
        }
        proctypes
    }

    fn proctype(&mut self, number: i32, channels: &[Channel]) -> ProctypePlan {
        let passive = self.features.has(Feature::Dynamic) && self.dice.chance(60);
        let kind = if passive {
            ProctypeKind::Passive
        } else {
            ProctypeKind::Active(self.dice.weighted(&[(84, 1), (13, 2), (3, 3)]))
        };
        let params = match kind {
            ProctypeKind::Passive => self.params(channels),
            // The parameters of an active process are zero, which no channel may be.
            _ if self.dice.chance(4) => vec![Param::Value(Type::Byte)],
            _ => vec![],
        };
        ProctypePlan { name: format!("P{number}"), kind, params, roles: vec![], spawned: !passive }
    }

    fn params(&mut self, channels: &[Channel]) -> Vec<Param> {
        let mut params: Vec<_> = (0..self.dice.weighted(&[(40, 0), (40, 1), (20, 2)]))
            .map(|_| {
                // Mistyped mtype arguments are reported, so no mtype parameters; for bits see `local_type`.
                match self.value_type() {
                    Type::Mtype | Type::Unsigned(_) => Param::Value(Type::Byte),
                    Type::Bit | Type::Bool if self.features.has(Feature::Priorities) => {
                        Param::Value(Type::Byte)
                    }
                    ty => Param::Value(ty),
                }
            })
            .collect();
        if self.features.has(Feature::ChannelParams) && !channels.is_empty() {
            let signature = self.dice.pick(channels).signature;
            let (send, receive) =
                self.dice.weighted(&[(40, (true, false)), (40, (false, true)), (20, (true, true))]);
            params.push(Param::Channel { signature, send, receive });
        }
        params
    }

    /// Gives every channel a sender and a receiver, in different proctypes if there are two.
    fn assign_roles(
        &mut self,
        proctypes: &mut [ProctypePlan],
        channels: &[Channel],
        signatures: &[Signature],
    ) {
        for channel in channels {
            let both = if signatures[channel.signature].rendezvous() { 4 } else { 12 };
            for plan in proctypes.iter_mut() {
                let (idle, one) = if plan.kind == ProctypeKind::Init { (90, 5) } else { (35, 30) };
                let (send, receive) = self.dice.weighted(&[
                    (idle, (false, false)),
                    (one, (true, false)),
                    (one, (false, true)),
                    (both, (true, true)),
                ]);
                plan.roles.push(Role { send, receive });
            }
            let workers: Vec<_> =
                (0..proctypes.len()).filter(|i| proctypes[*i].kind != ProctypeKind::Init).collect();
            let sender = self.dice.index(workers.len());
            let receiver = (sender + 1) % workers.len();
            let role = |plan: &mut ProctypePlan| plan.roles.last_mut().copied().unwrap_or_default();
            if !proctypes.iter_mut().any(|plan| role(plan).send) {
                proctypes[workers[sender]].roles.last_mut().unwrap().send = true;
            }
            if !proctypes.iter_mut().any(|plan| role(plan).receive) {
                proctypes[workers[receiver]].roles.last_mut().unwrap().receive = true;
            }
        }
    }

    fn inlines(&mut self, channels: &[Channel], signatures: &[Signature]) -> Vec<InlinePlan> {
        if !self.features.has(Feature::Inlines) {
            return vec![];
        }
        (0..self.dice.between(1..=2)).map(|i| self.inline(i, channels, signatures)).collect()
    }

    fn inline(&mut self, number: i32, channels: &[Channel], signatures: &[Signature]) -> InlinePlan {
        let mut formals: Vec<_> = (0..self.dice.between(0..=2))
            .map(|_| self.dice.weighted(&[(50, Formal::Value), (50, Formal::Assigned)]))
            .collect();
        let quiet = self.dice.chance(50);
        let plain: Vec<_> =
            channels.iter().filter(|channel| !signatures[channel.signature].carries_channels()).collect();
        if !quiet && !plain.is_empty() && self.dice.chance(50) {
            formals.push(Formal::Channel { signature: self.dice.pick(&plain).signature });
        }
        InlinePlan { name: format!("F{number}"), formals, quiet }
    }

    /// The number of interleavings grows with the power of the number of processes.
    fn body_size(&mut self, processes: u32) -> i32 {
        match processes {
            0 | 1 => self.dice.between(12..=40),
            2 => self.dice.between(6..=16),
            3 => self.dice.between(3..=8),
            4 => self.dice.between(2..=5),
            _ => self.dice.between(1..=3),
        }
    }
}
