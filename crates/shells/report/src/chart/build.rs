//! From the steps of a run to a chart.
//!
//! The interpreter's events name processes and channels by number. The numbers are reused: processes end youngest
//! first and take their channels with them, so both are kept here as the stacks that they are in a state.

use allways_source::{SourceMap, Span};
use allways_system::{
    Action, ChannelKindId, Event, Fault, Initial, LocationId, Pid, Proctype, ProctypeId, Scalar, Start, Step,
    System, Transition, TransitionId,
};
use allways_verdict::Location;

use super::buffer::Buffer;
use super::{Chart, Process, What};

/// Collects the steps of a run.
pub struct Builder<'a> {
    system: &'a System,
    sources: &'a SourceMap,
    chart: Chart,
    /// The live processes, by pid.
    live: Vec<Live>,
    /// The live channels; the number of the first is 1.
    channels: Vec<Channel>,
    /// The index of the first event of each step so far.
    first_events: Vec<usize>,
}

/// A live process.
struct Live {
    /// Index into [`Chart::processes`].
    process: usize,
    proctype: ProctypeId,
    /// How many channels there were before it came.
    first_channel: usize,
}

struct Channel {
    kind: ChannelKindId,
    buffer: Buffer,
}

/// The statement whose events are being added.
struct Statement<'a> {
    /// Who executes it.
    pid: Pid,
    /// What it may have done: one action, or those inside a `d_step`.
    actions: Vec<&'a Action>,
    text: &'a str,
    location: Location,
}

impl<'a> Builder<'a> {
    /// A chart of the processes that exist at the start, without events.
    pub fn new(system: &'a System, sources: &'a SourceMap) -> Builder<'a> {
        let (chart, live, channels) = (Chart::default(), Vec::new(), Vec::new());
        let mut builder = Builder { system, sources, chart, live, channels, first_events: Vec::new() };
        for initial in system.globals.variables.iter().flat_map(|variable| &variable.initial) {
            if let Initial::Channel(kind) = initial {
                builder.create_channel(*kind);
            }
        }
        for process in &system.processes {
            builder.create_process(process.proctype);
        }
        builder
    }

    /// Adds a step with what it did. The steps must be those of a run from the initial state, none left out: what
    /// is in a channel follows from the steps before. A step of a process that does not exist is ignored.
    pub fn step(&mut self, step: Step, events: &[Event], fault: Option<&Fault>) {
        let first = self.chart.events.len();
        self.first_events.push(first);
        let Some(statement) = self.statement(step.pid, step.transition) else { return };
        match step.partner.and_then(|(pid, transition)| self.statement(pid, transition)) {
            Some(receive) => self.rendezvous(&statement, &receive, events),
            None => events.iter().for_each(|event| self.event(&statement, event)),
        }
        if self.chart.events.len() == first && fault.is_none() {
            self.local(&statement, statement.text.to_string());
        }
        if let Some(fault) = fault {
            self.failed(&statement, format!("{}: {fault}", statement.text));
        }
    }

    /// Says that the run as a whole is wrong after the steps so far, e.g. `invalid end state`. Failed assertions
    /// and faults need not be said: [`Builder::step`] finds them.
    pub fn fail(&mut self, reason: &str) {
        let what = What::Failed { process: None, text: reason.to_string() };
        self.chart.events.push(super::Event { step: self.first_events.len(), location: None, what });
    }

    /// The chart. `cycle` is that of the trail: the index of the step at which the cycle of a lasso starts.
    pub fn finish(mut self, cycle: Option<usize>) -> Chart {
        let end = self.chart.events.len();
        self.chart.cycle = cycle.map(|step| self.first_events.get(step).copied().unwrap_or(end));
        self.chart
    }
}

/// From the events of the interpreter to those of the chart.
impl<'a> Builder<'a> {
    /// A message is offered, then taken; what comes after that is the rest of a `d_step` of the receiver.
    fn rendezvous(&mut self, send: &Statement<'a>, receive: &Statement<'a>, events: &[Event]) {
        let mut offered = None;
        let mut taken = false;
        for event in events {
            match (event, offered) {
                (Event::Sent { channel, message, .. }, None) => offered = Some((*channel, message)),
                (Event::Received { .. }, Some((channel, message))) if !taken => {
                    taken = true;
                    self.handshake(send, receive, channel, message);
                }
                (Event::ExclusiveViolated { receive: true, .. }, None) => self.event(receive, event),
                _ => self.event(if taken { receive } else { send }, event),
            }
        }
    }

    fn event(&mut self, statement: &Statement<'a>, event: &Event) {
        match event {
            Event::AssertionFailed => self.failed(statement, format!("{} is false", statement.text)),
            Event::Printed(text) => self.local(statement, format!("prints {:?}", text.trim_end())),
            Event::Sent { channel, message, lost } => self.send(statement, *channel, message, *lost),
            Event::Received { channel, message, .. } => self.receive(statement, *channel, message),
            Event::ExclusiveViolated { owner, receive } => {
                let (claim, does) = if *receive { ("xr", "receives") } else { ("xs", "sends") };
                self.failed(statement, format!("{does} in spite of the {claim} claim of process {owner}"));
            }
            Event::Started(_) => self.started(statement),
            Event::Ended => self.ended(statement),
        }
    }

    fn local(&mut self, statement: &Statement<'a>, text: String) {
        if let Some(process) = self.process(statement.pid) {
            self.push(statement, What::Local { process, text });
        }
    }

    fn failed(&mut self, statement: &Statement<'a>, text: String) {
        self.push(statement, What::Failed { process: self.process(statement.pid), text });
    }

    fn handshake(&mut self, send: &Statement<'a>, receive: &Statement<'a>, channel: u32, message: &[i32]) {
        let (Some(from), Some(to)) = (self.process(send.pid), self.process(receive.pid)) else { return };
        let (channel, text) = (self.channel_name(channel), self.message_text(channel, message));
        self.push(send, What::Handshake { from, to, channel, text });
    }

    fn send(&mut self, statement: &Statement<'a>, number: u32, message: &[i32], lost: bool) {
        let Some(process) = self.process(statement.pid) else { return };
        let (channel, text) = (self.channel_name(number), self.message_text(number, message));
        let event = self.chart.events.len();
        self.push(statement, What::Send { process, channel, text, lost });
        if lost {
            return;
        }
        let sorted =
            statement.actions.iter().any(|action| matches!(action, Action::Send { sorted: true, .. }));
        if let Some(channel) = self.channel_mut(number) {
            channel.buffer.send(message, sorted, event);
        }
    }

    fn receive(&mut self, statement: &Statement<'a>, number: u32, message: &[i32]) {
        let Some(process) = self.process(statement.pid) else { return };
        let (name, text) = (self.channel_name(number), self.message_text(number, message));
        // Inside a `d_step` it is not known which receive this is: most take the message.
        let mut receives =
            statement.actions.iter().filter(|action| matches!(action, Action::Receive { .. })).peekable();
        let keep = receives.peek().is_some()
            && receives.all(|action| matches!(action, Action::Receive { keep: true, .. }));
        let send = self.channel_mut(number).and_then(|channel| channel.buffer.receive(message, keep));
        self.push(statement, What::Receive { process, channel: name, text, send });
    }

    fn started(&mut self, statement: &Statement<'a>) {
        let kind = |action: &&Action| match action {
            Action::Run { proctype, .. } => Some(*proctype),
            _ => None,
        };
        let proctype = statement.actions.iter().find_map(kind);
        let (Some(parent), Some(proctype)) = (self.process(statement.pid), proctype) else { return };
        let process = self.create_process(proctype);
        self.push(statement, What::Start { process, parent });
    }

    fn ended(&mut self, statement: &Statement<'a>) {
        let Some(live) = self.live.pop() else { return };
        self.channels.truncate(live.first_channel);
        self.push(statement, What::End { process: live.process });
    }

    fn push(&mut self, statement: &Statement<'a>, what: What) {
        let location = Some(statement.location.clone());
        self.chart.events.push(super::Event { step: self.first_events.len(), location, what });
    }
}

/// What there is at the moment.
impl<'a> Builder<'a> {
    fn create_process(&mut self, proctype: ProctypeId) -> usize {
        let process = self.chart.processes.len();
        let declared = self.system.proctype(proctype);
        self.chart.processes.push(Process { pid: self.live.len() as Pid, name: declared.name.clone() });
        self.live.push(Live { process, proctype, first_channel: self.channels.len() });
        for start in &declared.start {
            if let Start::Channel(_, kind) = start {
                self.create_channel(*kind);
            }
        }
        process
    }

    fn create_channel(&mut self, kind: ChannelKindId) {
        self.channels.push(Channel { kind, buffer: Buffer::default() });
    }

    fn process(&self, pid: Pid) -> Option<usize> {
        self.live.get(pid as usize).map(|live| live.process)
    }

    fn statement(&self, pid: Pid, transition: TransitionId) -> Option<Statement<'a>> {
        let proctype = self.system.proctype(self.live.get(pid as usize)?.proctype);
        let transition = proctype.transitions.get(transition.index())?;
        let (text, location) = (&*transition.text, self.location(transition.span));
        Some(Statement { pid, actions: actions(proctype, transition), text, location })
    }

    fn location(&self, span: Span) -> Location {
        crate::graph::location(self.sources, span)
    }

    fn channel_mut(&mut self, number: u32) -> Option<&mut Channel> {
        (number as usize).checked_sub(1).and_then(|index| self.channels.get_mut(index))
    }

    fn kind(&self, number: u32) -> Option<ChannelKindId> {
        (number as usize)
            .checked_sub(1)
            .and_then(|index| self.channels.get(index))
            .map(|channel| channel.kind)
    }

    /// Several channels of one declaration are told apart by their position among them.
    fn channel_name(&self, number: u32) -> String {
        let Some(kind) = self.kind(number) else { return format!("channel {number}") };
        let name = &self.system.channels[kind.index()].name;
        let alike = |channels: &[Channel]| channels.iter().filter(|channel| channel.kind == kind).count();
        match alike(&self.channels) {
            1 => name.clone(),
            _ => format!("{name}[{}]", alike(&self.channels[..number as usize - 1])),
        }
    }

    fn message_text(&self, channel: u32, message: &[i32]) -> String {
        let kind = self.kind(channel).map(|kind| &self.system.channels[kind.index()]);
        let field = |(index, value): (usize, &i32)| {
            let scalar = kind.and_then(|kind| kind.fields.get(index));
            self.value_text(scalar.copied().unwrap_or(Scalar::Int), *value)
        };
        message.iter().enumerate().map(field).collect::<Vec<_>>().join(",")
    }

    fn value_text(&self, scalar: Scalar, value: i32) -> String {
        match scalar {
            Scalar::Mtype(set) => {
                let names = &self.system.mtypes[set.index()].names;
                let name = (value as usize).checked_sub(1).and_then(|index| names.get(index));
                name.cloned().unwrap_or_else(|| value.to_string())
            }
            Scalar::Bool => if value == 0 { "false" } else { "true" }.to_string(),
            Scalar::Chan if self.kind(value as u32).is_some() => self.channel_name(value as u32),
            _ => value.to_string(),
        }
    }
}

/// What a transition does; for a `d_step`, what it may do.
fn actions<'a>(proctype: &'a Proctype, transition: &'a Transition) -> Vec<&'a Action> {
    let Action::DStep { entry, exit } = transition.action else { return vec![&transition.action] };
    let mut seen: Vec<LocationId> = vec![entry];
    let mut actions = Vec::new();
    let mut next = 0;
    while let Some(location) = seen.get(next).copied() {
        next += 1;
        if location == exit {
            continue;
        }
        for inner in proctype.location(location).groups.iter().flatten() {
            let inner = proctype.transition(*inner);
            actions.push(&inner.action);
            if !seen.contains(&inner.target) {
                seen.push(inner.target);
            }
        }
    }
    actions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::tests::with_margin;
    use crate::chart::{TextOptions, text};
    use expect_test::{Expect, expect};

    /// A parent that starts children, and children that send to it on a channel of their own, and shake hands.
    const MODEL: &str = r#"
        system
        mtype M0 {ack msg}
        channel C0 q[4] {M0 byte} @0:0..1
        channel C1 r[0] {bool} @0:0..1
        g0 q: chan = C0 @0:0..1
        g1 r: chan = C1 @0:0..1
        proctype P0 parent initial L0 @0:0..1
          L0 @0:0..1: [t0 t1 t2 t3 t4 t5]
          t0 L0 -> L0 "run child()" @0:0..1: run P1()
          t1 L0 -> L0 "q?m,n" @0:0..1: receive g0:chan (_, _)
          t2 L0 -> L0 "q?<m,n>" @0:0..1: receive keep g0:chan (_, _)
          t3 L0 -> L0 "r?b" @0:0..1: receive g1:chan (_)
          t4 L0 -> L0 "assert(x)" @0:4..5: assert 0
          t5 L0 -> L0 "printf('hi')" @0:0..1: print "hi" ()
        proctype P1 child initial L0 @0:0..1
          l0 own: chan @0:0..1
          start l0 := new C0
          L0 @0:0..1: [t0 t1 t2 t3 t4]
          t0 L0 -> L0 "q!msg,1" @0:0..1: send g0:chan (2, 1)
          t1 L0 -> L0 "q!!ack,1" @0:0..1: send sorted g0:chan (1, 1)
          t2 L0 -> L0 "r!true" @0:0..1: send g1:chan (1)
          t3 L0 -> L0 "own!msg,1" @0:0..1: send l0:chan (2, 1)
          t4 L0 -> L0 "-end-" @0:0..1: terminate
        process P0 priority 1
    "#;

    const PARENT: Pid = 0;
    const CHILD: Pid = 1;

    /// A step of a run, with its events.
    fn step(pid: Pid, transition: u32, events: Vec<Event>) -> (Step, Vec<Event>, Option<Fault>) {
        (Step { pid, transition: TransitionId(transition), partner: None }, events, None)
    }

    fn sent(channel: u32, message: [i32; 2]) -> Event {
        Event::Sent { channel, message: message.to_vec(), lost: false }
    }

    fn received(channel: u32, message: [i32; 2]) -> Event {
        Event::Received { pid: PARENT, channel, message: message.to_vec() }
    }

    fn check(run: &[(Step, Vec<Event>, Option<Fault>)], expected: Expect) {
        let system = allways_system::parse::parse(MODEL).unwrap();
        let mut sources = SourceMap::default();
        sources.add("m.pml", "one\ntwo\nthree\n");
        let mut builder = Builder::new(&system, &sources);
        for (step, events, fault) in run {
            builder.step(*step, events, fault.as_ref());
        }
        let text = text(&builder.finish(None), &TextOptions { width: 70, ascii: true });
        expected.assert_eq(&with_margin(&text));
    }

    #[test]
    fn receives_know_their_sends() {
        check(
            &[
                step(PARENT, 0, vec![Event::Started(CHILD)]),
                step(CHILD, 0, vec![sent(1, [2, 1])]),
                step(CHILD, 1, vec![sent(1, [1, 1])]),
                step(PARENT, 2, vec![received(1, [1, 1])]),
                step(PARENT, 1, vec![received(1, [1, 1])]),
                step(PARENT, 1, vec![received(1, [2, 1])]),
            ],
            expect![[r#"
                |    parent:0   child:1
                |  1     *-------->o       run child:1
                |  2     |       <.*       q[0]!msg,1
                |  3     |       <.*       q[0]!ack,1
                |  4     *<........|       q[0]?ack,1 (from step 3)
                |  5     *<........|       q[0]?ack,1 (from step 3)
                |  6     *<........|       q[0]?msg,1 (from step 2)
            "#]],
        );
    }

    #[test]
    fn a_process_takes_its_channels_with_it() {
        check(
            &[
                step(PARENT, 0, vec![Event::Started(CHILD)]),
                step(CHILD, 3, vec![sent(3, [2, 1])]),
                step(CHILD, 4, vec![Event::Ended]),
                step(PARENT, 0, vec![Event::Started(CHILD)]),
                // A model cannot do this; a channel that was not forgotten would answer with the old message.
                step(PARENT, 1, vec![received(3, [2, 1])]),
            ],
            expect![[r#"
                |    parent:0   child:1
                |  1     *-------->o       run child:1
                |  2     |         *.>     q[1]!msg,1
                |  3     |         #       ends
                |  4     *-------->o       run child:1
                |  5   .>*         |       q[1]?msg,1
            "#]],
        );
    }

    #[test]
    fn a_rendezvous_is_one_event() {
        let hand_over = vec![
            Event::Sent { channel: 2, message: vec![1], lost: false },
            Event::Received { pid: PARENT, channel: 2, message: vec![1] },
        ];
        let partner = Some((PARENT, TransitionId(3)));
        check(
            &[
                step(PARENT, 0, vec![Event::Started(CHILD)]),
                (Step { pid: CHILD, transition: TransitionId(2), partner }, hand_over, None),
            ],
            expect![[r#"
                |    parent:0   child:1
                |  1     *-------->o       run child:1
                |  2     *<--------*       r!true
            "#]],
        );
    }

    #[test]
    fn what_went_wrong_is_shown() {
        check(
            &[step(PARENT, 4, vec![Event::AssertionFailed])],
            expect![[r#"
                |    parent:0
                |  1     X       error: assert(x) is false
            "#]],
        );
        let (fault, events) = (Some(Fault::DivisionByZero), Vec::new());
        check(
            &[(step(PARENT, 1, Vec::new()).0, events, fault)],
            expect![[r#"
                |    parent:0
                |  1     X       error: q?m,n: division by zero
            "#]],
        );
    }

    #[test]
    fn what_is_printed_is_shown() {
        check(
            &[step(PARENT, 5, vec![Event::Printed("hi\n".to_string())])],
            expect![[r#"
                |    parent:0
                |  1     *       prints "hi"
            "#]],
        );
    }
}
