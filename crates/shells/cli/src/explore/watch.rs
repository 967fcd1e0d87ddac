//! Follows the search of a program: Ctrl-C, progress on the terminal, the file of executions.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use allways_report::{explore, text, to_json_line};
use allways_stateless::{Control, Execution, SearchStatistics};
use indicatif::ProgressBar;

use crate::exit::Failure;
use crate::interrupt;
use crate::new_file::NewFile;
use crate::output;
use crate::watch::{REDRAW, bar};

pub struct Watch {
    executions: Option<BufWriter<NewFile>>,
    /// None unless somebody looks at it.
    bar: Option<ProgressBar>,
    redrawn: Instant,
}

impl Watch {
    pub fn new(executions: Option<&Path>, with_bar: bool) -> Result<Watch, Failure> {
        let executions = executions.map(output::create).transpose()?.map(BufWriter::new);
        let bar = if with_bar { bar() } else { None };
        Ok(Watch { executions, bar, redrawn: Instant::now() })
    }

    pub fn finish(mut self) -> Result<(), Failure> {
        self.clear();
        let Some(mut file) = self.executions.take() else { return Ok(()) };
        file.flush().map_err(|error| Failure::tool(format!("cannot write the executions: {error}")))
    }

    fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Control for Watch {
    fn goes_on(&mut self, statistics: &SearchStatistics) -> bool {
        if let Some(bar) = &self.bar
            && self.redrawn.elapsed() >= REDRAW
        {
            self.redrawn = Instant::now();
            bar.set_message(progress_line(statistics));
            bar.tick();
        }
        !interrupt::was_interrupted()
    }

    fn executed(&mut self, execution: &Execution) {
        if let Some(file) = &mut self.executions {
            // A full disk is noticed when the file is flushed.
            let _ = writeln!(file, "{}", to_json_line(&explore::execution(execution)));
        }
    }
}

fn progress_line(statistics: &SearchStatistics) -> String {
    let time = Duration::from_secs_f64(statistics.seconds);
    // A search by chance has no tree.
    let part = match statistics.part_done {
        0.0 => String::new(),
        part => format!(", about {} of the tree", percent(part)),
    };
    format!(
        "{}, {} executions/s, depth {}{part}, {}",
        text::counted(statistics.executions, "execution"),
        text::grouped(text::rate(statistics.executions, time)),
        text::grouped(statistics.depth),
        text::duration(time),
    )
}

fn percent(part: f64) -> String {
    match part * 100.0 {
        percent @ 0.1.. => format!("{percent:.1} %"),
        percent => format!("{percent:.0e} %"),
    }
}
