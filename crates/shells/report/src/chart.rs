//! Message sequence charts: who did what, and which message went where, in one run.
//!
//! A [`Chart`] is plain data. The [`Builder`] makes one from a run: give it the steps in their order, each with the
//! events the interpreter told about it, and it finds out the rest (the names of processes and channels, the texts
//! of messages, and which send each receive takes its message from).
//!
//! ```
//! # use allways_source::SourceMap;
//! # use allways_system::{Event, Fault, Step, System};
//! use allways_report::chart;
//!
//! # fn show(system: &System, sources: &SourceMap, run: &[(Step, Vec<Event>, Option<Fault>)]) -> String {
//! let mut builder = chart::Builder::new(system, sources);
//! for (step, events, fault) in run {
//!     builder.step(*step, events, fault.as_ref());
//! }
//! chart::text(&builder.finish(None), &chart::TextOptions::default())
//! # }
//! ```

mod buffer;
mod build;
mod svg;
mod text;

use allways_system::Pid;
use allways_verdict::Location;

pub use build::Builder;
pub use svg::svg;
pub use text::{TextOptions, text};

/// What happened in a run, in order, and between whom.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Chart {
    /// Every process that lived, in order of creation. A pid can be there twice, but not at the same time.
    pub processes: Vec<Process>,
    /// In order.
    pub events: Vec<Event>,
    /// For a lasso, the index of the event at which the cycle starts; at most the number of events.
    pub cycle: Option<usize>,
}

/// A process. Events refer to it by its index in [`Chart::processes`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Process {
    /// Its number.
    pub pid: Pid,
    /// The name of its proctype.
    pub name: String,
}

/// Something that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The step it belongs to, from 1; a step can have several events.
    pub step: usize,
    /// The statement it comes from.
    pub location: Option<Location>,
    /// What it was.
    pub what: What,
}

/// What an event was. Processes are indices into [`Chart::processes`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// A process did something that concerns no other process.
    Local {
        /// Which.
        process: usize,
        /// The statement.
        text: String,
    },
    /// A rendezvous: a message was handed over.
    Handshake {
        /// The sender.
        from: usize,
        /// The receiver.
        to: usize,
        /// The name of the channel.
        channel: String,
        /// The message.
        text: String,
    },
    /// A message entered a buffered channel.
    Send {
        /// The sender.
        process: usize,
        /// The name of the channel.
        channel: String,
        /// The message.
        text: String,
        /// The buffer was full and the message was thrown away.
        lost: bool,
    },
    /// A message was taken from a buffered channel, or copied.
    Receive {
        /// The receiver.
        process: usize,
        /// The name of the channel.
        channel: String,
        /// The message.
        text: String,
        /// The event that sent it, if known: the index of an earlier one of [`Chart::events`].
        send: Option<usize>,
    },
    /// A process was created.
    Start {
        /// The new one.
        process: usize,
        /// Who created it.
        parent: usize,
    },
    /// A process ended.
    End {
        /// Which.
        process: usize,
    },
    /// This is what is wrong with the run.
    Failed {
        /// Whose step it was; none if it concerns the system as a whole, e.g. a deadlock.
        process: Option<usize>,
        /// In words.
        text: String,
    },
}

impl Chart {
    /// The chart without what concerns one process alone: a long run becomes readable.
    pub fn messages_only(&self) -> Chart {
        let mut chart = Chart { processes: self.processes.clone(), events: Vec::new(), cycle: None };
        // Where each event went; for one that was left out, where the next one went.
        let mut position = Vec::with_capacity(self.events.len());
        for event in &self.events {
            position.push(chart.events.len());
            if matches!(event.what, What::Local { .. }) {
                continue;
            }
            let mut event = event.clone();
            if let What::Receive { send: Some(send), .. } = &mut event.what {
                *send = position[*send];
            }
            chart.events.push(event);
        }
        chart.cycle = self.cycle.map(|start| position.get(start).copied().unwrap_or(chart.events.len()));
        chart
    }

    /// The number of columns: processes with the same pid do not live at the same time and share one.
    fn n_columns(&self) -> usize {
        self.processes.iter().map(|process| process.pid as usize + 1).max().unwrap_or(0)
    }

    fn column(&self, process: usize) -> usize {
        self.processes[process].pid as usize
    }

    /// The process that sent what this event receives, if known.
    fn sender(&self, event: &Event) -> Option<usize> {
        let What::Receive { send: Some(send), .. } = event.what else { return None };
        match self.events.get(send)?.what {
            What::Send { process, .. } => Some(process),
            _ => None,
        }
    }

    /// For each event, who receives what it sends: the first receiver, if there are several.
    fn receivers(&self) -> Vec<Option<usize>> {
        let mut receivers = vec![None; self.events.len()];
        for event in &self.events {
            if let What::Receive { process, send: Some(send), .. } = event.what {
                receivers[send].get_or_insert(process);
            }
        }
        receivers
    }

    /// The processes that exist before the first event.
    fn initial(&self) -> Vec<usize> {
        let mut initial: Vec<usize> = (0..self.processes.len()).collect();
        for event in &self.events {
            if let What::Start { process, .. } = event.what {
                initial.retain(|other| *other != process);
            }
        }
        initial
    }
}

impl Process {
    /// As it is written above its line.
    fn title(&self) -> String {
        format!("{}:{}", self.name, self.pid)
    }
}

impl Event {
    /// What to write beside it; for a start, what the new process is called.
    fn label(&self, chart: &Chart) -> String {
        match &self.what {
            What::Local { text, .. } | What::Failed { text, .. } => text.clone(),
            What::Handshake { channel, text, .. } => format!("{channel}!{text}"),
            What::Send { channel, text, lost: false, .. } => format!("{channel}!{text}"),
            What::Send { channel, text, lost: true, .. } => format!("{channel}!{text} (lost)"),
            What::Receive { channel, text, .. } => format!("{channel}?{text}"),
            What::Start { process, .. } => format!("run {}", chart.processes[*process].title()),
            What::End { .. } => "ends".to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One event of every kind, texts that are awkward in XML, a pid that is used twice, and a cycle.
    pub(super) fn example() -> Chart {
        let process = |pid, name: &str| Process { pid, name: name.to_string() };
        let processes =
            vec![process(0, "init"), process(1, "client"), process(2, "server"), process(2, "logger")];
        let text = |text: &str| text.to_string();
        let send =
            |process, what: &str, lost| What::Send { process, channel: text("q"), text: text(what), lost };
        let events = vec![
            What::Start { process: 2, parent: 0 },
            What::Local { process: 0, text: text("x < 3 && y > 0") },
            send(1, "ask,1", false),
            send(1, "ask,2", true),
            What::Receive { process: 2, channel: text("q"), text: text("ask,1"), send: Some(2) },
            What::Handshake { from: 2, to: 0, channel: text("done"), text: text("<ok>") },
            What::End { process: 2 },
            What::Start { process: 3, parent: 1 },
            What::Receive { process: 3, channel: text("q"), text: text("0"), send: None },
            What::Failed { process: Some(3), text: text("assert(x == 1) is false") },
            What::Failed { process: None, text: text("invalid end state") },
        ];
        let location = |line| Some(Location { file: text("a&b.pml"), line, column: 1 });
        let event = |(index, what)| Event { step: index + 1, location: location(index as u32 + 10), what };
        Chart { processes, events: events.into_iter().enumerate().map(event).collect(), cycle: Some(4) }
    }

    /// Expected texts lose the blanks that all lines begin with: here they count.
    pub(super) fn with_margin(text: &str) -> String {
        text.lines().map(|line| format!("|{line}\n")).collect()
    }

    #[test]
    fn leaving_out_local_events_keeps_the_messages_together() {
        let chart = example().messages_only();
        assert_eq!(chart.events.len(), example().events.len() - 1);
        assert_eq!(chart.cycle, Some(3));
        let receive = chart.events.iter().find(|event| matches!(event.what, What::Receive { .. })).unwrap();
        assert_eq!(chart.sender(receive), Some(1));
    }
}
