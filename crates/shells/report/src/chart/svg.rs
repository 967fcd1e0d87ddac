//! A chart as a picture: life lines from top to bottom, a row for each event, arrows for messages. A message that
//! waits in a buffer is an arrow from the row of its send to the row of its receive.

use super::{Chart, Event, What};
use crate::drawing::{Anchor, Drawing, FONT_SIZE, LINE_HEIGHT, Path, Point, shorten, width, wrap};

/// The chart as a picture: a whole SVG document.
pub fn svg(chart: &Chart) -> String {
    let layout = Layout::new(chart);
    let receivers = chart.receivers();
    let mut picture = Picture { chart, layout, receivers, drawing: Drawing::default() };
    picture.failures();
    picture.life_lines();
    // Long arrows first: what is written in the rows they pass is on top of them.
    for (index, event) in chart.events.iter().enumerate() {
        picture.message(index, event);
    }
    for (index, event) in chart.events.iter().enumerate() {
        picture.event(index, event);
    }
    picture.cycle();
    let Picture { layout, drawing, .. } = picture;
    drawing.finish("message sequence chart", layout.width, layout.height)
}

const MARGIN: f64 = 16.0;
const ROW: f64 = 28.0;
/// A row in which a process is created has its box.
const START_ROW: f64 = 40.0;
const HEAD: f64 = 24.0;
/// Between a life line and the text beside it.
const GAP: f64 = 9.0;
/// Life lines are never closer than this.
const MIN_DISTANCE: f64 = 90.0;
/// Longer texts are cut; the whole text is in the tooltip.
const MAX_LABEL: usize = 30;
const MAX_NAME: usize = 20;
/// What is wrong is written in full, on several lines if need be.
const FAILURE_COLUMNS: usize = 90;
const FAILURE_LINES: usize = 6;
/// A receive so many rows below its send gets a text of its own.
const FAR: usize = 6;

/// Where everything is.
struct Layout {
    /// Of the life lines, by column.
    xs: Vec<f64>,
    /// Of the rows.
    ys: Vec<f64>,
    /// Of the step numbers: where they end.
    numbers: f64,
    width: f64,
    height: f64,
}

impl Layout {
    fn new(chart: &Chart) -> Layout {
        let steps = chart.events.last().map_or(1, |event| event.step);
        let bracket = if chart.cycle.is_some() { 26.0 } else { 0.0 };
        let numbers = MARGIN + bracket + width(&steps.to_string());
        let (xs, right) = columns(chart, numbers + GAP);
        let mut ys = Vec::new();
        let mut y = MARGIN + HEAD + 10.0;
        for event in &chart.events {
            ys.push(y + centre(event));
            y += row_height(event);
        }
        let failures = chart.events.iter().filter_map(failure_lines).flatten();
        let failure = failures.map(|line| width(&line)).fold(0.0, f64::max) + numbers + 3.0 * MARGIN;
        Layout { xs, ys, numbers, width: right.max(failure), height: y + MARGIN }
    }

    fn x(&self, chart: &Chart, process: usize) -> f64 {
        self.xs[chart.column(process)]
    }
}

/// The life lines, far enough apart for what is written between them, and the right border.
fn columns(chart: &Chart, left: f64) -> (Vec<f64>, f64) {
    let n_columns = chart.n_columns();
    let mut half_names = vec![0.0f64; n_columns];
    for process in &chart.processes {
        let half = half_name(&process.title());
        let known = &mut half_names[process.pid as usize];
        *known = known.max(half);
    }
    // The room that is needed to the right of each column; the last has none to its right.
    let mut gaps = vec![0.0f64; n_columns + 1];
    for column in 0..n_columns {
        let next = half_names.get(column + 1).copied().unwrap_or(0.0);
        gaps[column + 1] = (half_names[column] + next + 14.0).max(MIN_DISTANCE);
    }
    if let Some(last) = gaps.last_mut() {
        *last = half_names.last().copied().unwrap_or(0.0);
    }
    let receivers = chart.receivers();
    for (index, event) in chart.events.iter().enumerate() {
        if let Some((column, to_the_left)) = label_gap(chart, event, receivers[index]) {
            let gap = if to_the_left { column } else { column + 1 };
            gaps[gap] = gaps[gap].max(width(&label(chart, event)) + 2.0 * GAP + 6.0);
        }
    }
    let mut x = left + gaps[0].max(half_names.first().copied().unwrap_or(0.0));
    let mut xs = Vec::new();
    for gap in &gaps[1..] {
        xs.push(x);
        x += gap;
    }
    (xs, x + MARGIN)
}

/// The column beside which an event's text is, and whether it is to its left. None if it has no text there.
fn label_gap(chart: &Chart, event: &Event, receiver: Option<usize>) -> Option<(usize, bool)> {
    let towards = |from: usize, to: Option<usize>| {
        let from = chart.column(from);
        Some((from, to.is_some_and(|to| chart.column(to) < from)))
    };
    match event.what {
        What::Local { process, .. } => towards(process, None),
        What::Handshake { from, to, .. } => towards(from, Some(to)),
        What::Send { process, .. } => towards(process, receiver),
        What::Receive { process, .. } => towards(process, chart.sender(event)),
        What::Start { .. } | What::End { .. } | What::Failed { .. } => None,
    }
}

fn half_name(title: &str) -> f64 {
    width(&shorten(title, MAX_NAME)) / 2.0 + 8.0
}

fn label(chart: &Chart, event: &Event) -> String {
    shorten(&event.label(chart), MAX_LABEL)
}

fn row_height(event: &Event) -> f64 {
    match event.what {
        What::Start { .. } => START_ROW,
        _ => ROW + failure_lines(event).map_or(0.0, |lines| lines.len() as f64 * LINE_HEIGHT + 8.0),
    }
}

/// How far from the upper border of its row an event is: what went wrong is written below it.
fn centre(event: &Event) -> f64 {
    if matches!(event.what, What::Failed { .. }) { ROW / 2.0 } else { row_height(event) / 2.0 }
}

fn failure_lines(event: &Event) -> Option<Vec<String>> {
    match &event.what {
        What::Failed { text, .. } => Some(wrap(text, FAILURE_COLUMNS, FAILURE_LINES)),
        _ => None,
    }
}

struct Picture<'a> {
    chart: &'a Chart,
    layout: Layout,
    /// Who receives what each event sends.
    receivers: Vec<Option<usize>>,
    drawing: Drawing,
}

/// What is behind and around the events.
impl Picture<'_> {
    /// A band behind the rows in which something went wrong.
    fn failures(&mut self) {
        for (index, event) in self.chart.events.iter().enumerate() {
            if matches!(event.what, What::Failed { .. }) {
                let left = self.layout.numbers + GAP / 2.0;
                let at = Point::new(left, self.row_top(index) + 2.0);
                let size = (self.layout.width - left - MARGIN / 2.0, row_height(event) - 4.0);
                self.drawing.rectangle("fail-band", at, size.0, size.1, 4.0);
            }
        }
    }

    fn life_lines(&mut self) {
        for process in 0..self.chart.processes.len() {
            let birth = self.event_of(|what| matches!(what, What::Start { process: p, .. } if *p == process));
            let death = self.event_of(|what| matches!(what, What::End { process: p } if *p == process));
            let x = self.layout.x(self.chart, process);
            let top = birth.map_or(MARGIN + HEAD / 2.0, |index| self.layout.ys[index]);
            let bottom = death.map_or(self.layout.height - MARGIN / 2.0, |index| self.layout.ys[index]);
            self.life_line(Point::new(x, top + HEAD / 2.0), bottom);
            self.head(Point::new(x, top), process);
        }
    }

    /// A life line goes behind the text of a failure: it is left out there.
    fn life_line(&mut self, from: Point, bottom: f64) {
        let mut top = from.y;
        for (index, event) in self.chart.events.iter().enumerate() {
            let Some(lines) = failure_lines(event) else { continue };
            let start = self.layout.ys[index] + ROW / 2.0 - 2.0;
            let end = start + lines.len() as f64 * LINE_HEIGHT + 8.0;
            if start > top && start < bottom {
                self.drawing.line("faint", Point::new(from.x, top), Point::new(from.x, start));
                top = end;
            }
        }
        if top < bottom {
            self.drawing.line("faint", Point::new(from.x, top), Point::new(from.x, bottom));
        }
    }

    fn head(&mut self, centre: Point, process: usize) {
        let title = self.chart.processes[process].title();
        let half = half_name(&title);
        self.drawing.begin(&title);
        let corner = Point::new(centre.x - half, centre.y - HEAD / 2.0);
        self.drawing.rectangle("box", corner, 2.0 * half, HEAD, 4.0);
        let base = Point::new(centre.x, centre.y + FONT_SIZE / 3.0);
        self.drawing.text("title", Anchor::Middle, base, &shorten(&title, MAX_NAME));
        self.drawing.end();
    }

    /// The bracket around the rows that repeat for ever.
    fn cycle(&mut self) {
        let Some(start) = self.chart.cycle else { return };
        if start >= self.chart.events.len() {
            return;
        }
        let (top, bottom) = (self.row_top(start) + 4.0, self.layout.height - MARGIN - 4.0);
        let (x, end) = (MARGIN + 6.0, MARGIN + 18.0);
        let path = Path::from(Point::new(end, bottom))
            .line_to(Point::new(x, bottom))
            .line_to(Point::new(x, top))
            .line_to(Point::new(end, top));
        self.drawing.begin("the cycle: from the last row the run goes back to the first row of the bracket");
        self.drawing.path("life", &path);
        self.drawing.arrow_head("life-head", Point::new(x, top), Point::new(end, top));
        self.drawing.end();
    }

    fn row_top(&self, index: usize) -> f64 {
        self.layout.ys[index] - centre(&self.chart.events[index])
    }

    fn event_of(&self, is: impl Fn(&What) -> bool) -> Option<usize> {
        self.chart.events.iter().position(|event| is(&event.what))
    }
}

/// The events.
impl Picture<'_> {
    /// The arrow of a message that waited in a buffer.
    fn message(&mut self, index: usize, event: &Event) {
        let What::Receive { process, send: Some(send), .. } = event.what else { return };
        let Some(sender) = self.chart.sender(event) else { return };
        let (from, to) = (self.at(sender, send), self.at(process, index));
        self.drawing.begin(&self.tooltip(event));
        if from.x == to.x {
            // To itself: in a bow, on the side where nothing is written.
            let bow = Point::new(from.x - 26.0, from.y + 8.0);
            let back = Point::new(to.x - 26.0, to.y - 8.0);
            let path = Path::from(from).curve_to(bow, back, to);
            self.drawing.path("message dashed", &path);
            self.drawing.arrow_head("message-head", back, Point::new(to.x - 4.0, to.y - 1.0));
        } else {
            let tip = short_of(from, to, 5.0);
            self.drawing.line("message dashed", from, tip);
            self.drawing.arrow_head("message-head", from, tip);
        }
        self.drawing.end();
    }

    fn event(&mut self, index: usize, event: &Event) {
        self.drawing.begin(&self.tooltip(event));
        self.step_number(index, event);
        match event.what {
            What::Local { process, .. } => {
                let at = self.at(process, index);
                self.drawing.circle("head", at, 3.5);
                self.label(Anchor::Start, Point::new(at.x + GAP, at.y + 4.0), event);
            }
            What::Handshake { from, to, .. } => self.handshake(index, event, from, to),
            What::Send { process, lost, .. } => self.send(index, event, process, lost),
            What::Receive { process, .. } => self.receive(index, event, process),
            What::Start { process, parent } => self.start(index, process, parent),
            What::End { process } => {
                let at = self.at(process, index);
                self.drawing.line("life", Point::new(at.x - 9.0, at.y), Point::new(at.x + 9.0, at.y));
                self.drawing.rectangle("life-head", Point::new(at.x - 9.0, at.y - 2.0), 18.0, 4.0, 1.0);
            }
            What::Failed { process, .. } => self.failed(index, event, process),
        }
        self.drawing.end();
    }

    fn handshake(&mut self, index: usize, event: &Event, from: usize, to: usize) {
        let (from, to) = (self.at(from, index), self.at(to, index));
        self.drawing.line("message", from, to);
        self.drawing.arrow_head("message-head", from, to);
        self.drawing.circle("message-head", from, 3.5);
        self.label_above(from, to.x < from.x, event);
    }

    fn send(&mut self, index: usize, event: &Event, process: usize, lost: bool) {
        let at = self.at(process, index);
        let receiver = self.receivers[index];
        let to_the_left = receiver.is_some_and(|to| self.layout.x(self.chart, to) < at.x);
        self.drawing.circle("message-head", at, 3.5);
        if receiver.is_none() {
            // Nobody takes it: the arrow ends in the open, in a cross if the message is gone.
            let tip = Point::new(at.x + 26.0, at.y);
            self.drawing.line("message dashed", at, tip);
            if lost {
                let corner = |x: f64, y: f64| Point::new(tip.x + 4.0 * x, tip.y + 4.0 * y);
                self.drawing.line("fail", corner(-1.0, -1.0), corner(1.0, 1.0));
                self.drawing.line("fail", corner(-1.0, 1.0), corner(1.0, -1.0));
            } else {
                self.drawing.arrow_head("message-head", at, tip);
            }
        }
        self.label_above(at, to_the_left, event);
    }

    fn receive(&mut self, index: usize, event: &Event, process: usize) {
        let at = self.at(process, index);
        self.drawing.circle("message-head", at, 3.5);
        let send = match event.what {
            What::Receive { send, .. } => send,
            _ => None,
        };
        if send.is_none() {
            let from = Point::new(at.x + 26.0, at.y);
            self.drawing.line("message dashed", from, at);
            self.drawing.arrow_head("message-head", from, Point::new(at.x + 4.0, at.y));
        }
        if send.is_none_or(|send| index.saturating_sub(send) >= FAR) {
            let to_the_left =
                self.chart.sender(event).is_some_and(|from| self.layout.x(self.chart, from) < at.x);
            self.label_above(Point::new(at.x, at.y + FONT_SIZE + 4.0), to_the_left, event);
        }
    }

    fn start(&mut self, index: usize, process: usize, parent: usize) {
        let (from, to) = (self.at(parent, index), self.at(process, index));
        let half = half_name(&self.chart.processes[process].title());
        let tip = Point::new(if from.x < to.x { to.x - half } else { to.x + half }, to.y);
        self.drawing.line("life", from, tip);
        self.drawing.arrow_head("life-head", from, tip);
        self.drawing.circle("life-head", from, 3.5);
    }

    fn failed(&mut self, index: usize, event: &Event, process: Option<usize>) {
        let all = 0..self.layout.xs.len();
        let columns = process.map_or(all, |process| {
            let column = self.chart.column(process);
            column..column + 1
        });
        for column in columns {
            let at = Point::new(self.layout.xs[column], self.layout.ys[index]);
            let corner = |x: f64, y: f64| Point::new(at.x + 5.0 * x, at.y + 5.0 * y);
            self.drawing.line("fail", corner(-1.0, -1.0), corner(1.0, 1.0));
            self.drawing.line("fail", corner(-1.0, 1.0), corner(1.0, -1.0));
        }
        let left = self.layout.numbers + 2.0 * GAP;
        let mut y = self.layout.ys[index] + ROW / 2.0 + FONT_SIZE;
        for line in failure_lines(event).unwrap_or_default() {
            self.drawing.text("fail-text", Anchor::Start, Point::new(left, y), &line);
            y += LINE_HEIGHT;
        }
    }

    /// Only in the first row of a step.
    fn step_number(&mut self, index: usize, event: &Event) {
        if index == 0 || self.chart.events[index - 1].step != event.step {
            let at = Point::new(self.layout.numbers, self.layout.ys[index] + FONT_SIZE / 3.0);
            self.drawing.text("muted", Anchor::End, at, &event.step.to_string());
        }
    }

    fn label_above(&mut self, at: Point, to_the_left: bool, event: &Event) {
        let (anchor, side) = if to_the_left { (Anchor::End, -GAP) } else { (Anchor::Start, GAP) };
        self.label(anchor, Point::new(at.x + side, at.y - 4.0), event);
    }

    fn label(&mut self, anchor: Anchor, at: Point, event: &Event) {
        self.drawing.text_over_lines("", anchor, at, &label(self.chart, event));
    }

    fn tooltip(&self, event: &Event) -> String {
        let place = match &event.location {
            Some(location) => format!("  {}:{}", location.file, location.line),
            None => String::new(),
        };
        format!("step {}{place}\n{}", event.step, event.label(self.chart))
    }

    fn at(&self, process: usize, index: usize) -> Point {
        Point::new(self.layout.x(self.chart, process), self.layout.ys[index])
    }
}

/// The point on the line from `from` to `to` that is so far from `to`.
fn short_of(from: Point, to: Point, distance: f64) -> Point {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let part = 1.0 - distance / (dx * dx + dy * dy).sqrt().max(distance);
    Point::new(from.x + part * dx, from.y + part * dy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::tests::example;
    use crate::drawing::tests::check_well_formed;

    #[test]
    fn the_picture_is_well_formed() {
        check_well_formed(&svg(&example()));
        check_well_formed(&svg(&example().messages_only()));
        check_well_formed(&svg(&Chart::default()));
        let without_events = Chart { events: Vec::new(), cycle: Some(0), ..example() };
        check_well_formed(&svg(&without_events));
    }

    #[test]
    fn tooltips_say_where_in_the_model() {
        assert!(svg(&example()).contains("<title>step 3  a&amp;b.pml:12\nq!ask,1</title>"));
    }

    #[test]
    fn everything_has_its_row_and_column() {
        let chart = example();
        let layout = Layout::new(&chart);
        assert!(layout.xs.windows(2).all(|pair| pair[1] - pair[0] >= MIN_DISTANCE));
        assert!(layout.ys.windows(2).all(|pair| pair[1] - pair[0] >= ROW));
        assert!(*layout.xs.last().unwrap() < layout.width && *layout.ys.last().unwrap() < layout.height);
    }
}
