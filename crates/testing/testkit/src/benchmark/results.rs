//! What was measured, as tables for people and as CSV for programs.

use std::fmt::Write as _;

use super::list::Entry;
use super::modes::Mode;
use super::statistics::{Summary, summary};
use super::tools::{Figures, Outcome};

/// One entry of the list in one mode.
#[derive(Clone, Debug)]
pub struct Row {
    pub mode: Mode,
    pub entry: Entry,
    /// Never empty. The first is `allways`, except that with threads and reduction all are.
    pub runs: Vec<Run>,
    /// How many times better the first run is than the second, in what the mode is about; with threads, how many
    /// times faster the last is than the first. `None` where figures are missing or too small.
    pub ratio: Option<f64>,
    /// With threads: how many times as much gets done by as many searches at once that have nothing to do with each other.
    pub ceiling: Option<f64>,
    /// With threads: how long it takes to tell another core something and to hear back, in nanoseconds.
    pub round_trip: Option<f64>,
    /// What is wrong or strange, empty if nothing is.
    pub note: String,
    /// The counts differ, or a program failed.
    pub wrong: bool,
}

/// One side of a comparison.
#[derive(Clone, Debug)]
pub struct Run {
    pub label: String,
    pub outcome: Outcome,
}

impl Row {
    pub fn new(mode: Mode, entry: Entry, runs: Vec<Run>) -> Row {
        let (ratio, ceiling, round_trip) = (None, None, None);
        let mut row =
            Row { mode, entry, runs, ratio, ceiling, round_trip, note: String::new(), wrong: false };
        row.ratio = row.find_ratio();
        row.find_faults();
        row
    }

    pub fn figures(&self, side: usize) -> Option<&Figures> {
        self.runs.get(side)?.outcome.figures()
    }

    fn find_ratio(&self) -> Option<f64> {
        let (ours, other) = match self.mode {
            Mode::Threads => (self.figures(self.runs.len() - 1)?, self.figures(0)?),
            _ => (self.figures(0)?, self.figures(1)?),
        };
        Some(match self.mode {
            Mode::Plain | Mode::Growth | Mode::Bitstate | Mode::Reduction => {
                if ours.usage.user.max(other.usage.user) < SHORT {
                    return None;
                }
                moment(other.usage.user) / moment(ours.usage.user)
            }
            Mode::Default | Mode::Threads | Mode::Startup => {
                moment(other.usage.wall) / moment(ours.usage.wall)
            }
            Mode::Memory => other.usage.peak as f64 / ours.usage.peak.max(1) as f64,
        })
    }

    fn find_faults(&mut self) {
        let mut notes = Vec::new();
        for run in &self.runs {
            if run.outcome.figures().is_none() {
                notes.push(format!("{}: {} ({})", run.label, run.outcome.word(), run.outcome.reason()));
                self.wrong |= matches!(run.outcome, Outcome::Failed(_));
            }
        }
        if matches!(self.mode, Mode::Plain | Mode::Growth | Mode::Memory | Mode::Threads) {
            let expected = (self.entry.states, self.entry.transitions);
            for run in &self.runs {
                let Some(figures) = run.outcome.figures() else { continue };
                let counts = (figures.states, figures.transitions);
                if counts != expected {
                    notes.push(format!("{} counts {counts:?} instead of {expected:?}", run.label));
                    self.wrong = true;
                }
            }
        }
        if let (Mode::Default, Some(ours), Some(other)) = (self.mode, self.figures(0), self.figures(1))
            && ours.states > other.states
        {
            notes.push("more states than pan".into());
        }
        self.note = notes.join("; ");
    }
}

/// Systems count user time in steps of up to 10 ms, so less than this is not worth a ratio.
const SHORT: f64 = 0.05;

/// Keeps ratios of immeasurably short times sane.
fn moment(seconds: f64) -> f64 {
    seconds.max(0.001)
}

/// The table of one mode, with its summary.
pub fn table(mode: Mode, rows: &[Row]) -> String {
    let columns = columns(mode, rows);
    let mut lines = vec![columns.iter().map(|column| column.title.clone()).collect::<Vec<_>>()];
    lines.extend(rows.iter().map(|row| columns.iter().map(|column| (column.cell)(row)).collect()));
    let mut text = align(&lines);
    for row in rows.iter().filter(|row| !row.note.is_empty()) {
        let _ = writeln!(text, "  {}: {}", row.entry.name(), row.note);
    }
    if mode == Mode::Default {
        let is_short =
            |row: &&Row| row.figures(1).is_some_and(|pan| pan.search.is_some_and(|time| time < 1.0));
        if let Some(summary) = summary(rows.iter().filter(is_short).filter_map(|row| row.ratio)) {
            let _ =
                writeln!(text, "  {}", describe(mode, "that pan alone searches in under a second", &summary));
        }
    }
    for tag in ["large", "small", "growth"] {
        let ratios = rows.iter().filter(|row| row.entry.has_tag(tag)).filter_map(|row| row.ratio);
        if let Some(summary) = summary(ratios) {
            let _ = writeln!(text, "  {}", describe(mode, tag, &summary));
        }
    }
    text
}

fn describe(mode: Mode, tag: &str, summary: &Summary) -> String {
    let what = match mode {
        Mode::Plain | Mode::Growth => "times as fast as pan (user time)",
        Mode::Default | Mode::Startup => "times as fast as spin+gcc+pan (wall time)",
        Mode::Memory => "times less memory than pan (exact)",
        Mode::Bitstate => "times as fast as pan in the same memory (user time)",
        Mode::Threads => "times as fast with more threads (wall time)",
        Mode::Reduction => "times as fast with reduction as without (user time)",
    };
    let Summary { count, geometric_mean, smallest, largest } = summary;
    format!("{count} {tag}: {geometric_mean:.2} {what}, from {smallest:.2} to {largest:.2}")
}

struct Column {
    title: String,
    cell: Box<dyn Fn(&Row) -> String>,
}

fn column(title: impl Into<String>, cell: impl Fn(&Row) -> String + 'static) -> Column {
    Column { title: title.into(), cell: Box::new(cell) }
}

/// A column about one side, empty where it has no figures.
fn of(side: usize, title: impl Into<String>, cell: impl Fn(&Row, &Figures) -> String + 'static) -> Column {
    column(title, move |row| row.figures(side).map_or("-".into(), |figures| cell(row, figures)))
}

fn columns(mode: Mode, rows: &[Row]) -> Vec<Column> {
    let mut columns =
        vec![column("model", |row| row.entry.name()), column("states", |row| row.entry.states.to_string())];
    let speed =
        |figures: &Figures| format!("{:.2}", figures.transitions as f64 / moment(figures.usage.user) / 1e6);
    let per_state =
        |bytes: u64, figures: &Figures| format!("{:.1}", bytes as f64 / figures.states.max(1) as f64);
    columns.extend(match mode {
        Mode::Plain => vec![
            column("pan vector B", |row| row.entry.vector.to_string()),
            of(0, "our vector B", |_, ours| ours.vector.to_string()),
            of(0, "our s", |_, ours| format!("{:.3}", ours.usage.user)),
            of(1, "pan s", |_, pan| format!("{:.3}", pan.usage.user)),
            of(0, "our Mtrans/s", move |_, ours| speed(ours)),
            of(1, "pan Mtrans/s", move |_, pan| speed(pan)),
        ],
        Mode::Growth => vec![
            of(0, "our s", |_, ours| format!("{:.3}", ours.usage.user)),
            of(1, "pan s", |_, pan| format!("{:.3}", pan.usage.user)),
            of(0, "our Mtrans/s", move |_, ours| speed(ours)),
            of(1, "pan Mtrans/s", move |_, pan| speed(pan)),
            of(0, "our B/state", move |_, ours| per_state(ours.usage.peak, ours)),
            of(1, "pan B/state", move |_, pan| per_state(pan.usage.peak, pan)),
        ],
        Mode::Default => vec![
            of(0, "our states", |_, ours| ours.states.to_string()),
            of(1, "pan states", |_, pan| pan.states.to_string()),
            of(0, "our wall s", |_, ours| format!("{:.3}", ours.usage.wall)),
            of(1, "spin+gcc+pan wall s", |_, pan| format!("{:.3}", pan.usage.wall)),
            of(1, "pan alone", |_, pan| pan.search.map_or("-".into(), |search| format!("{search:.3}"))),
        ],
        Mode::Memory => vec![
            of(0, "our store B/state", move |_, ours| {
                ours.store.map_or("-".into(), |store| per_state(store, ours))
            }),
            of(0, "our peak B/state", move |_, ours| per_state(ours.usage.peak, ours)),
            of(1, "pan", move |_, pan| per_state(pan.usage.peak, pan)),
            of(2, "pan collapse", move |_, pan| per_state(pan.usage.peak, pan)),
            of(0, "our s", |_, ours| format!("{:.3}", ours.usage.user)),
            of(1, "pan s", |_, pan| format!("{:.3}", pan.usage.user)),
            of(2, "collapse s", |_, pan| format!("{:.3}", pan.usage.user)),
            column("against collapse", |row| {
                let ratio = row.figures(0).zip(row.figures(2));
                let ratio = ratio.map(|(ours, pan)| pan.usage.peak as f64 / ours.usage.peak.max(1) as f64);
                ratio.map_or("-".into(), |ratio| format!("{ratio:.2}"))
            }),
        ],
        Mode::Bitstate => vec![
            of(0, "our % of states", coverage),
            of(1, "pan % of states", coverage),
            of(0, "our Mtrans/s", move |_, ours| speed(ours)),
            of(1, "pan Mtrans/s", move |_, pan| speed(pan)),
        ],
        Mode::Threads => {
            let labels: Vec<String> = rows
                .first()
                .map(|row| row.runs.iter().map(|run| run.label.clone()).collect())
                .unwrap_or_default();
            let wall = |(side, label)| of(side, label, |_, run| format!("{:.3} s", run.usage.wall));
            let round_trip =
                column("round trip ns", |row| row.round_trip.map_or("-".into(), |time| format!("{time:.0}")));
            let ceiling =
                column("searches at once", |row| row.ceiling.map_or("-".into(), |most| format!("{most:.2}")));
            labels.into_iter().enumerate().map(wall).chain([round_trip, ceiling]).collect()
        }
        Mode::Reduction => vec![
            of(0, "reduced", |_, reduced| reduced.states.to_string()),
            of(1, "full", |_, full| full.states.to_string()),
            column("reduced %", |row| {
                let share = row.figures(0).zip(row.figures(1));
                let share = share.map(|(reduced, full)| percent(reduced.states, full.states));
                share.unwrap_or("-".into())
            }),
            of(0, "reduced s", |_, reduced| format!("{:.3}", reduced.usage.user)),
            of(1, "full s", |_, full| format!("{:.3}", full.usage.user)),
        ],
        Mode::Startup => vec![of(0, "wall ms", |_, ours| format!("{:.2}", 1e3 * ours.usage.wall))],
    });
    if mode != Mode::Startup {
        columns.push(column("ratio", |row| row.ratio.map_or("-".into(), |ratio| format!("{ratio:.2}"))));
    }
    columns
}

fn coverage(row: &Row, figures: &Figures) -> String {
    percent(figures.states, row.entry.states)
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.3}", 100.0 * part as f64 / whole.max(1) as f64)
}

/// Pads cells to columns: the first to the left, the others to the right.
fn align(lines: &[Vec<String>]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    let mut text = String::new();
    for line in lines {
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let _ = match column {
                0 => write!(text, "{cell:<width$}"),
                _ => write!(text, "  {cell:>width$}"),
            };
        }
        text.push('\n');
    }
    text
}

/// All rows as CSV: the entry, then the same columns for every side.
pub fn csv(rows: &[Row]) -> String {
    let sides = rows.iter().map(|row| row.runs.len()).max().unwrap_or(0);
    let mut text = String::from("mode,model,defines,plain_states,plain_transitions,pan_vector,ratio,note");
    for side in 1..=sides {
        for name in [
            "tool",
            "outcome",
            "states",
            "transitions",
            "vector",
            "wall_s",
            "user_s",
            "peak_bytes",
            "store_bytes",
        ] {
            let _ = write!(text, ",{name}_{side}");
        }
    }
    text.push('\n');
    for row in rows {
        text.push_str(&csv_line(row, sides));
    }
    text
}

fn csv_line(row: &Row, sides: usize) -> String {
    let entry = &row.entry;
    let mut cells = vec![
        row.mode.name().to_owned(),
        entry.model.clone(),
        entry.defines.join(" "),
        entry.states.to_string(),
        entry.transitions.to_string(),
        entry.vector.to_string(),
        row.ratio.map_or(String::new(), |ratio| format!("{ratio:.4}")),
        row.note.clone(),
    ];
    for side in 0..sides {
        let Some(run) = row.runs.get(side) else {
            cells.extend(std::iter::repeat_n(String::new(), 9));
            continue;
        };
        cells.extend([run.label.clone(), run.outcome.word().to_owned()]);
        match run.outcome.figures() {
            None => cells.extend(std::iter::repeat_n(String::new(), 7)),
            Some(figures) => cells.extend([
                figures.states.to_string(),
                figures.transitions.to_string(),
                figures.vector.to_string(),
                format!("{:.6}", figures.usage.wall),
                format!("{:.6}", figures.usage.user),
                figures.usage.peak.to_string(),
                figures.store.map_or(String::new(), |store| store.to_string()),
            ]),
        }
    }
    cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\n"
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::list;
    use crate::benchmark::measure::Usage;

    fn row(mode: Mode, sides: &[(&str, u64, f64)]) -> Row {
        let entry = list::parse("ring.pml N=3 large 100 200 9 40").unwrap().remove(0);
        let run = |(label, states, user): &(&str, u64, f64)| Run {
            label: (*label).to_owned(),
            outcome: Outcome::Done(Figures {
                states: *states,
                transitions: 200,
                vector: 8,
                store: Some(1000),
                usage: Usage { user: *user, wall: *user, system: 0.0, peak: 4000 },
                search: None,
                depth: 9,
            }),
        };
        Row::new(mode, entry, sides.iter().map(run).collect())
    }

    #[test]
    fn a_table_has_ratios_and_a_mean() {
        let rows = [row(Mode::Plain, &[("allways", 100, 2.0), ("pan", 100, 4.0)])];
        let text = table(Mode::Plain, &rows);
        assert_eq!(
            text,
            "model     states  pan vector B  our vector B  our s  pan s  our Mtrans/s  pan Mtrans/s  ratio\n\
             ring N=3     100            40             8  2.000  4.000          0.00          0.00   2.00\n  \
             1 large: 2.00 times as fast as pan (user time), from 2.00 to 2.00\n"
        );
        assert!(!rows[0].wrong);
    }

    #[test]
    fn wrong_counts_are_noticed() {
        let row = row(Mode::Plain, &[("allways", 99, 2.0), ("pan", 100, 4.0)]);
        assert!(row.wrong);
        assert_eq!(row.note, "allways counts (99, 200) instead of (100, 200)");
    }

    #[test]
    fn more_states_than_pan_are_a_note_only() {
        let row = row(Mode::Default, &[("allways", 90, 2.0), ("pan", 80, 4.0)]);
        assert_eq!((row.wrong, row.note.as_str()), (false, "more states than pan"));
    }

    #[test]
    fn every_mode_has_a_table() {
        use clap::ValueEnum;
        for mode in Mode::value_variants() {
            let mut rows = [row(*mode, &[("a", 100, 2.0), ("b", 100, 1.0)])];
            assert!(table(*mode, &rows).starts_with("model "), "{mode:?}");
            rows[0].runs[1].outcome = Outcome::Limit("time".into());
            assert!(table(*mode, &rows).starts_with("model "), "{mode:?}");
        }
    }

    #[test]
    fn short_times_have_no_ratio() {
        assert_eq!(row(Mode::Plain, &[("allways", 100, 0.004), ("pan", 100, 0.0)]).ratio, None);
        assert_eq!(row(Mode::Plain, &[("allways", 100, 0.02), ("pan", 100, 0.06)]).ratio, Some(3.0));
    }

    #[test]
    fn threads_compare_the_last_with_the_first() {
        assert_eq!(row(Mode::Threads, &[("-j 1", 100, 4.0), ("-j 2", 100, 2.0)]).ratio, Some(2.0));
    }

    #[test]
    fn csv_has_a_column_for_everything() {
        let mut rows = vec![
            row(Mode::Plain, &[("allways", 100, 2.0), ("pan", 100, 4.0)]),
            row(Mode::Startup, &[("allways", 100, 2.0)]),
        ];
        rows[1].note = "a \"note\", quoted".into();
        let text = csv(&rows);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[1].starts_with("plain,ring,N=3,100,200,40,2.0000,,allways,done,100,200,8,2.000000,"));
        assert!(lines[2].contains("\"a \"\"note\"\", quoted\""));
        assert_eq!(lines[0].matches(',').count(), lines[1].matches(',').count());
        // The note has a comma of its own.
        assert_eq!(lines[0].matches(',').count() + 1, lines[2].matches(',').count());
    }
}
