//! Which charts the results are worth.

use std::collections::BTreeMap;

use super::modes::Mode;
use super::results::Row;
use super::statistics::{Summary, summary};
use super::svg::{Axis, Bars, Lines, Series};
use super::tools::Figures;

/// File names and contents of all charts for which there are results.
pub fn plots(rows: &[Row]) -> Vec<(String, String)> {
    let mut plots = Vec::new();
    for (mode, title, better, worse) in [
        (Mode::Plain, "One core, plain search: user time against pan", "faster", "slower"),
        (Mode::Default, "From command to verdict: wall time against spin + gcc + pan", "faster", "slower"),
        (Mode::Memory, "Exact search: peak memory against pan", "less", "more"),
        (Mode::Bitstate, "Lossy search in the same memory: user time against pan", "faster", "slower"),
        (Mode::Reduction, "User time with reduction against without", "faster", "slower"),
    ] {
        // Times of small models are all start-up, which only the way from command to verdict is about.
        let worth = |row: &&Row| mode == Mode::Default || row.entry.has_tag("large");
        let rated = of_mode(rows, mode).filter(worth).filter_map(|row| Some((row.entry.name(), row.ratio?)));
        let mut items: Vec<(String, f64)> = rated.filter(|(_, ratio)| *ratio > 0.0).collect();
        items.sort_by(|one, two| two.1.total_cmp(&one.1));
        if !items.is_empty() {
            let bars = Bars { title: title.into(), better: better.into(), worse: worse.into(), items };
            plots.push((format!("ratio-{}.svg", mode.name()), bars.draw()));
        }
    }
    plots.extend(cost_by_size(rows));
    plots.extend(growth(
        rows,
        "growth-time.svg",
        "Time as the model grows",
        "µs per transition",
        |figures| 1e6 * figures.usage.user / figures.transitions.max(1) as f64,
    ));
    plots.extend(growth(
        rows,
        "growth-memory.svg",
        "Memory as the model grows",
        "bytes per state",
        |figures| figures.usage.peak as f64 / figures.states.max(1) as f64,
    ));
    plots.extend(threads(rows));
    plots
}

fn of_mode(rows: &[Row], mode: Mode) -> impl Iterator<Item = &Row> {
    rows.iter().filter(move |row| row.mode == mode)
}

fn logarithmic(label: &str) -> Axis {
    Axis { label: label.into(), linear: false }
}

fn linear(label: &str) -> Axis {
    Axis { label: label.into(), linear: true }
}

/// Every model of a plain search as a point: user time by transitions.
fn cost_by_size(rows: &[Row]) -> Option<(String, String)> {
    let series = |side: usize, name: &str| {
        let figures = of_mode(rows, Mode::Plain).filter_map(|row| row.figures(side));
        let points = figures.map(|figures| (figures.transitions as f64, figures.usage.user)).collect();
        Series { name: name.into(), points, joined: false }
    };
    let series = vec![series(0, "allways"), series(1, "pan")];
    if series[0].points.is_empty() {
        return None;
    }
    let lines = Lines {
        title: "One core, plain search: cost by size of the model".into(),
        x: logarithmic("transitions"),
        y: logarithmic("user time (s)"),
        series,
    };
    Some(("size-plain.svg".into(), lines.draw()))
}

/// A line per model and tool.
fn growth(
    rows: &[Row],
    file: &str,
    title: &str,
    unit: &str,
    cost: impl Fn(&Figures) -> f64,
) -> Option<(String, String)> {
    let mut series: Vec<Series> = Vec::new();
    for row in of_mode(rows, Mode::Growth) {
        for run in &row.runs {
            let Some(figures) = run.outcome.figures() else { continue };
            let name = format!("{}, {}", row.entry.model, run.label);
            let point = (figures.states as f64, cost(figures));
            match series.iter_mut().find(|series| series.name == name) {
                Some(series) => series.points.push(point),
                None => series.push(Series { name, points: vec![point], joined: true }),
            }
        }
    }
    if series.is_empty() {
        return None;
    }
    let lines = Lines { title: title.into(), x: logarithmic("states"), y: linear(unit), series };
    Some((file.into(), lines.draw()))
}

/// How many times faster all models are with more threads: the mean, the best and the worst.
fn threads(rows: &[Row]) -> Option<(String, String)> {
    let rows: Vec<&Row> = of_mode(rows, Mode::Threads).collect();
    let mut by_threads: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for row in &rows {
        let Some(first) = row.figures(0) else { continue };
        for run in &row.runs {
            let threads = run.label.rsplit(' ').next().and_then(|number| number.parse().ok());
            if let (Some(threads), Some(figures)) = (threads, run.outcome.figures()) {
                by_threads.entry(threads).or_default().push(first.usage.wall / figures.usage.wall);
            }
        }
    }
    if by_threads.len() < 2 {
        return None;
    }
    let series = |name: String, pick: fn(&Summary) -> f64| {
        let point = |(threads, ratios): (&u32, &Vec<f64>)| {
            Some((f64::from(*threads), pick(&summary(ratios.iter().copied())?)))
        };
        Series { name, points: by_threads.iter().filter_map(point).collect(), joined: true }
    };
    let lines = Lines {
        title: "Plain search: speed by threads".into(),
        x: linear("threads"),
        y: linear("times as fast as one"),
        series: vec![
            series(format!("mean of {} models", rows.len()), |summary| summary.geometric_mean),
            series("best".into(), |summary| summary.largest),
            series("worst".into(), |summary| summary.smallest),
        ],
    };
    Some(("threads.svg".into(), lines.draw()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::list;
    use crate::benchmark::measure::Usage;
    use crate::benchmark::results::Run;
    use crate::benchmark::tools::Outcome;

    fn row(mode: Mode, labels: [&str; 2]) -> Row {
        let entry = list::parse("ring.pml N=3 large 100 200 9 40").unwrap().remove(0);
        let usage = Usage { wall: 1.0, user: 1.0, system: 0.0, peak: 4096 };
        let figures = Figures { states: 100, transitions: 200, usage, ..Figures::default() };
        let run = |label: &str| Run { label: label.into(), outcome: Outcome::Done(figures) };
        Row::new(mode, entry, labels.map(run).into())
    }

    #[test]
    fn charts_are_made_of_what_there_is() {
        assert!(plots(&[]).is_empty());
        let rows = [
            row(Mode::Plain, ["allways", "pan"]),
            row(Mode::Growth, ["allways", "pan"]),
            row(Mode::Threads, ["allways -j 1", "allways -j 2"]),
        ];
        let names: Vec<String> = plots(&rows).into_iter().map(|plot| plot.0).collect();
        assert_eq!(
            names,
            ["ratio-plain.svg", "size-plain.svg", "growth-time.svg", "growth-memory.svg", "threads.svg"]
        );
    }
}
