//! A chart for a terminal: a column with a life line for each pid, a row for each event, what happened on the right.
//!
//! The texts are not inside of the columns: with ten processes no statement would be readable there.

use super::{Chart, Event, Process, What};
use crate::drawing::{columns, shorten_with};

/// How to draw with characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextOptions {
    /// Columns of the terminal. Lines are longer only if there are too many processes to be fitted in.
    pub width: usize,
    /// Only ASCII characters, apart from what the model itself contains.
    pub ascii: bool,
}

impl Default for TextOptions {
    fn default() -> TextOptions {
        TextOptions { width: 100, ascii: false }
    }
}

/// The chart for a terminal.
pub fn text(chart: &Chart, options: &TextOptions) -> String {
    let mut page = Page::new(chart, options);
    for (index, event) in chart.events.iter().enumerate() {
        if index % ROWS_PER_HEADER == 0 {
            page.header();
        }
        page.row(index, event);
    }
    if chart.events.is_empty() {
        page.header();
    }
    if let Some(event) = chart.cycle.and_then(|start| chart.events.get(start)) {
        page.out.push_str(&format!("then again from step {}\n", event.step));
    }
    page.out
}

/// After this many rows the names of the processes are repeated.
const ROWS_PER_HEADER: usize = 40;
/// Distances between life lines that still let one see an arrow, and that waste no room.
const MIN_COLUMN: usize = 4;
const MAX_COLUMN: usize = 20;
/// The texts on the right get at least this, if they need it.
const MIN_TEXT: usize = 24;

struct Symbols {
    line: char,
    dot: char,
    solid: char,
    crossing: char,
    dashed: char,
    right: char,
    left: char,
    born: char,
    dead: char,
    lost: char,
    failed: char,
    cycle: [char; 3],
    more: &'static str,
}

const UNICODE: Symbols = Symbols {
    line: '│',
    dot: '●',
    solid: '─',
    crossing: '┼',
    dashed: '╌',
    right: '▶',
    left: '◀',
    born: '◯',
    dead: '■',
    lost: '×',
    failed: '✗',
    cycle: ['┌', '│', '└'],
    more: "…",
};

const ASCII: Symbols = Symbols {
    line: '|',
    dot: '*',
    solid: '-',
    crossing: '-',
    dashed: '.',
    right: '>',
    left: '<',
    born: 'o',
    dead: '#',
    lost: 'x',
    failed: 'X',
    cycle: ['+', '|', '+'],
    more: "..",
};

struct Page<'a> {
    chart: &'a Chart,
    symbols: &'static Symbols,
    /// Who receives what each event sends.
    receivers: Vec<Option<usize>>,
    /// The process that is alive in each column.
    alive: Vec<Option<usize>>,
    /// Width of the step numbers.
    digits: usize,
    /// Distance between two life lines.
    column: usize,
    /// Room for the texts.
    text: usize,
    out: String,
}

impl<'a> Page<'a> {
    fn new(chart: &'a Chart, options: &TextOptions) -> Page<'a> {
        let n_columns = chart.n_columns().max(1);
        let digits = chart.events.last().map_or(1, |event| event.step).to_string().len().max(3);
        let margin = digits + 1 + if chart.cycle.is_some() { 2 } else { 0 };
        let room = options.width.saturating_sub(margin + 2);

        let longest_text = chart.events.iter().map(|event| columns(&remark(chart, event))).max().unwrap_or(0);
        let reserved = longest_text.min(MIN_TEXT.max(room / 3));
        let longest_name = chart.processes.iter().map(|process| columns(&process.title())).max().unwrap_or(0);
        let wanted = (longest_name + 2).clamp(MIN_COLUMN, MAX_COLUMN);
        let column = (room.saturating_sub(reserved) / n_columns).clamp(MIN_COLUMN, wanted);
        let text = room.saturating_sub(column * n_columns).max(1);

        let mut alive = vec![None; n_columns];
        for process in chart.initial() {
            alive[chart.column(process)] = Some(process);
        }
        let symbols = if options.ascii { &ASCII } else { &UNICODE };
        let receivers = chart.receivers();
        Page { chart, symbols, receivers, alive, digits, column, text, out: String::new() }
    }

    /// The names of the processes that are alive, and of those that will be the first in a column.
    fn header(&mut self) {
        let mut line = self.blank();
        for column in 0..self.alive.len() {
            let first = self.chart.processes.iter().position(|process| process.pid as usize == column);
            let Some(process) = self.alive[column].or(first) else { continue };
            let process = &self.chart.processes[process];
            let name = self.name(process);
            let start = self.x(column).saturating_sub(columns(&name) / 2);
            for (offset, character) in name.chars().enumerate() {
                if let Some(cell) = line.get_mut(start + offset) {
                    *cell = character;
                }
            }
        }
        let margin = " ".repeat(self.digits + 1 + if self.chart.cycle.is_some() { 2 } else { 0 });
        self.finish_line(&margin, &line, "");
    }

    /// As much of the name as fits between two life lines; if only one half fits, then the pid.
    fn name(&self, process: &Process) -> String {
        let (title, pid) = (process.title(), process.pid.to_string());
        let room = (self.column - 1).saturating_sub(pid.len() + 1);
        match room {
            _ if columns(&title) < self.column => title,
            0..3 => pid,
            _ => format!("{}:{pid}", shorten_with(&process.name, room, self.symbols.more)),
        }
    }

    fn row(&mut self, index: usize, event: &Event) {
        let mut cells = self.life_lines();
        self.draw(index, event, &mut cells);
        let first_of_step = index == 0 || self.chart.events[index - 1].step != event.step;
        let step = if first_of_step { event.step.to_string() } else { String::new() };
        let margin = format!("{}{step:>width$} ", self.bracket(index), width = self.digits);
        let text = remark(self.chart, event);
        // What went wrong is never cut.
        if matches!(event.what, What::Failed { .. }) && columns(&text) > self.text {
            self.finish_line(&margin, &cells, "error:");
            self.out.push_str(&event.label(self.chart));
            self.out.push('\n');
        } else {
            self.finish_line(&margin, &cells, &shorten_with(&text, self.text, self.symbols.more));
        }
    }

    fn draw(&mut self, index: usize, event: &Event, cells: &mut [char]) {
        let chart = self.chart;
        let x = |process: usize| self.x(chart.column(process));
        match event.what {
            What::Local { process, .. } => cells[x(process)] = self.symbols.dot,
            What::Handshake { from, to, .. } => {
                self.arrow(cells, x(from), x(to), self.symbols.solid);
                cells[x(from)] = self.symbols.dot;
                cells[x(to)] = self.symbols.dot;
            }
            What::Send { process, lost, .. } => {
                let to_the_left = self.receivers[index].is_some_and(|receiver| x(receiver) < x(process));
                let towards = |distance: usize| {
                    if to_the_left { x(process).saturating_sub(distance) } else { x(process) + distance }
                };
                let head = if to_the_left { self.symbols.left } else { self.symbols.right };
                cells[x(process)] = self.symbols.dot;
                cells[towards(1)] = self.symbols.dashed;
                cells[towards(2)] = if lost { self.symbols.lost } else { head };
            }
            What::Receive { process, .. } => {
                let sender = chart.sender(event).map(x).filter(|sender| *sender != x(process));
                // Where it comes from is not known, or it is the same place: from nowhere.
                let from = sender.unwrap_or_else(|| x(process).saturating_sub(3));
                self.arrow(cells, from, x(process), self.symbols.dashed);
                cells[x(process)] = self.symbols.dot;
            }
            What::Start { process, parent } => {
                self.arrow(cells, x(parent), x(process), self.symbols.solid);
                cells[x(parent)] = self.symbols.dot;
                cells[x(process)] = self.symbols.born;
                self.alive[chart.column(process)] = Some(process);
            }
            What::End { process } => {
                cells[x(process)] = self.symbols.dead;
                self.alive[chart.column(process)] = None;
            }
            What::Failed { process: Some(process), .. } => cells[x(process)] = self.symbols.failed,
            What::Failed { process: None, .. } => {
                for column in (0..self.alive.len()).filter(|column| self.alive[*column].is_some()) {
                    cells[self.x(column)] = self.symbols.failed;
                }
            }
        }
    }

    /// Everything between the two life lines, the head at the end.
    fn arrow(&self, cells: &mut [char], from: usize, to: usize, stroke: char) {
        let between = from.min(to) + 1..from.max(to);
        for cell in &mut cells[between] {
            let crosses = *cell == self.symbols.line;
            *cell = match crosses {
                // A dashed arrow passes behind the life lines.
                true if stroke == self.symbols.dashed => *cell,
                true => self.symbols.crossing,
                false => stroke,
            };
        }
        if from < to {
            cells[to - 1] = self.symbols.right;
        } else if to < from {
            cells[to + 1] = self.symbols.left;
        }
    }

    /// The part of the bracket around the cycle that is in this row.
    fn bracket(&self, index: usize) -> String {
        let Some(start) = self.chart.cycle else { return String::new() };
        let [top, middle, bottom] = self.symbols.cycle;
        let last = self.chart.events.len() - 1;
        let part = match index {
            _ if index < start => ' ',
            _ if index == last => bottom,
            _ if index == start => top,
            _ => middle,
        };
        format!("{part} ")
    }

    fn blank(&self) -> Vec<char> {
        vec![' '; self.column * self.alive.len()]
    }

    fn life_lines(&self) -> Vec<char> {
        let mut cells = self.blank();
        for (column, process) in self.alive.iter().enumerate() {
            if process.is_some() {
                cells[self.x(column)] = self.symbols.line;
            }
        }
        cells
    }

    fn x(&self, column: usize) -> usize {
        column * self.column + (self.column - 1) / 2
    }

    fn finish_line(&mut self, margin: &str, cells: &[char], text: &str) {
        let cells: String = cells.iter().collect();
        let line = format!("{margin}{cells}  {text}");
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }
}

/// What the text on the right says.
fn remark(chart: &Chart, event: &Event) -> String {
    let label = event.label(chart);
    match event.what {
        What::Failed { .. } => format!("error: {label}"),
        What::Receive { send: Some(send), .. } => match chart.events.get(send) {
            Some(send) => format!("{label} (from step {})", send.step),
            None => label,
        },
        _ => label,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::tests::{example, with_margin};
    use expect_test::{Expect, expect};

    fn check(chart: &Chart, width: usize, ascii: bool, expected: Expect) {
        let text = text(chart, &TextOptions { width, ascii });
        assert!(text.lines().all(|line| columns(line) <= width));
        expected.assert_eq(&with_margin(&text));
    }

    #[test]
    fn messages_are_arrows() {
        check(
            &example(),
            60,
            false,
            expect![[r#"
                |       init:0  client:1 server:2
                |    1     ●────────┼───────▶◯      run server:2
                |    2     ●        │        │      x < 3 && y > 0
                |    3     │        ●╌▶      │      q!ask,1
                |    4     │        ●╌×      │      q!ask,2 (lost)
                |┌   5     │        │╌╌╌╌╌╌╌▶●      q?ask,1 (from step 3)
                |│   6     ●◀───────┼────────●      done!<ok>
                |│   7     │        │        ■      ends
                |│   8     │        ●───────▶◯      run logger:2
                |│   9     │        │      ╌▶●      q?0
                |│  10     │        │        ✗      error:
                |assert(x == 1) is false
                |└  11     ✗        ✗        ✗      error: invalid end state
                |then again from step 5
            "#]],
        );
    }

    #[test]
    fn ascii_is_enough() {
        check(
            &example(),
            60,
            true,
            expect![[r#"
                |       init:0  client:1 server:2
                |    1     *---------------->o      run server:2
                |    2     *        |        |      x < 3 && y > 0
                |    3     |        *.>      |      q!ask,1
                |    4     |        *.x      |      q!ask,2 (lost)
                |+   5     |        |.......>*      q?ask,1 (from step 3)
                ||   6     *<----------------*      done!<ok>
                ||   7     |        |        #      ends
                ||   8     |        *------->o      run logger:2
                ||   9     |        |      .>*      q?0
                ||  10     |        |        X      error:
                |assert(x == 1) is false
                |+  11     X        X        X      error: invalid end state
                |then again from step 5
            "#]],
        );
    }

    #[test]
    fn texts_are_cut_to_the_width() {
        check(
            &example(),
            30,
            false,
            expect![[r#"
                |       0   1   2
                |    1  ●───┼──▶◯    run serve…
                |    2  ●   │   │    x < 3 && …
                |    3  │   ●╌▶ │    q!ask,1
                |    4  │   ●╌× │    q!ask,2 (…
                |┌   5  │   │╌╌▶●    q?ask,1 (…
                |│   6  ●◀──┼───●    done!<ok>
                |│   7  │   │   ■    ends
                |│   8  │   ●──▶◯    run logge…
                |│   9  │   │ ╌▶●    q?0
                |│  10  │   │   ✗    error:
                |assert(x == 1) is false
                |└  11  ✗   ✗   ✗    error:
                |invalid end state
                |then again from step 5
            "#]],
        );
    }

    #[test]
    fn a_run_without_steps_has_names_only() {
        let chart = Chart { events: Vec::new(), cycle: Some(0), ..example() };
        check(
            &chart,
            60,
            false,
            expect![[r#"
                |       init:0   client:1  logger:2
            "#]],
        );
    }
}
