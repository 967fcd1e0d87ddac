//! Watches a search: time limit, Ctrl-C, progress on the terminal.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use allways_report::text;
use allways_verdict::Statistics;
use allways_workbench::{Alarm, Monitor, Stopped};
use indicatif::{ProgressBar, ProgressStyle};

use crate::interrupt;

/// Between two updates of the progress line.
pub const REDRAW: Duration = Duration::from_millis(200);
/// Between two progress events.
const EVENT: Duration = Duration::from_secs(1);

pub struct Watch<'a> {
    started: Instant,
    time_limit: Option<Duration>,
    /// None unless somebody looks at it.
    bar: Option<ProgressBar>,
    redrawn: Instant,
    /// Hears about progress once a second.
    listener: Option<&'a mut dyn FnMut(&Statistics)>,
    heard: Instant,
}

impl<'a> Watch<'a> {
    pub fn new(time_limit: Option<Duration>) -> Watch<'a> {
        let now = Instant::now();
        Watch { started: now, time_limit, bar: None, redrawn: now, listener: None, heard: now }
    }

    /// Shows progress, if standard error is a terminal.
    pub fn with_bar(mut self) -> Watch<'a> {
        self.bar = bar();
        self
    }

    pub fn with_listener(mut self, listener: &'a mut dyn FnMut(&Statistics)) -> Watch<'a> {
        self.listener = Some(listener);
        self
    }

    fn redraw(&mut self, statistics: &Statistics) {
        let Some(bar) = &self.bar else { return };
        if self.redrawn.elapsed() >= REDRAW {
            self.redrawn = Instant::now();
            bar.set_message(progress_line(statistics));
            bar.tick();
        }
    }

    fn tell(&mut self, statistics: &Statistics) {
        let Some(listener) = &mut self.listener else { return };
        if self.heard.elapsed() >= EVENT {
            self.heard = Instant::now();
            listener(statistics);
        }
    }
}

impl Monitor for Watch<'_> {
    fn tick(&mut self, statistics: &Statistics) -> ControlFlow<Stopped> {
        self.redraw(statistics);
        self.tell(statistics);
        if interrupt::was_interrupted() {
            return ControlFlow::Break(Stopped::Interrupt);
        }
        if self.time_limit.is_some_and(|limit| self.started.elapsed() >= limit) {
            return ControlFlow::Break(Stopped::Time);
        }
        ControlFlow::Continue(())
    }

    fn alarm(&self) -> Alarm {
        let due = self.time_limit.and_then(|limit| self.started.checked_add(limit));
        Alarm { due, interrupted: Some(interrupt::flag()), cancelled: None }
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A line that moves, if standard error is a terminal.
pub fn bar() -> Option<ProgressBar> {
    let style = ProgressStyle::with_template("{spinner} {wide_msg}").expect("a fixed template");
    std::io::stderr().is_terminal().then(|| ProgressBar::new_spinner().with_style(style))
}

fn progress_line(statistics: &Statistics) -> String {
    format!(
        "{}, {}, {} states/s, depth {}, {}, {}",
        text::counted(statistics.states, "state"),
        text::counted(statistics.transitions(), "transition"),
        text::grouped(text::rate(statistics.states, statistics.search)),
        text::grouped(statistics.depth),
        text::bytes(statistics.store_bytes),
        text::duration(statistics.search),
    )
}
