//! Small charts as SVG, readable in light and dark.

use std::fmt::Write as _;

/// Horizontal bars, such as ratios, with a line at 1. The scale is logarithmic: twice and half look alike.
pub struct Bars {
    pub title: String,
    /// What is to the right of 1 and to the left of it.
    pub better: String,
    pub worse: String,
    pub items: Vec<(String, f64)>,
}

/// Points joined by lines, or not, on logarithmic axes.
pub struct Lines {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
}

pub struct Axis {
    pub label: String,
    /// Starts at 0 with even steps instead of having a factor of ten per decade.
    pub linear: bool,
}

pub struct Series {
    pub name: String,
    /// Only points with positive coordinates are drawn.
    pub points: Vec<(f64, f64)>,
    pub joined: bool,
}

/// Colours are spelt out twice because some viewers know no variables.
const STYLE: &str = "\
text { font: 12px system-ui, sans-serif; }
.title { font-size: 15px; font-weight: 600; }
.right { text-anchor: end; }
.middle { text-anchor: middle; }
.series { fill: none; stroke-width: 2; }
.back { fill: #ffffff; } text { fill: #1f2328; } .dim { fill: #59636e; }
.grid { stroke: #d0d7de; } .axis { stroke: #59636e; }
.f0 { fill: #0969da; } .f1 { fill: #bc4c00; } .f2 { fill: #1a7f37; }
.f3 { fill: #8250df; } .f4 { fill: #bf3989; } .f5 { fill: #6e7781; }
.s0 { stroke: #0969da; } .s1 { stroke: #bc4c00; } .s2 { stroke: #1a7f37; }
.s3 { stroke: #8250df; } .s4 { stroke: #bf3989; } .s5 { stroke: #6e7781; }
@media (prefers-color-scheme: dark) {
  .back { fill: #0d1117; } text { fill: #e6edf3; } .dim { fill: #9198a1; }
  .grid { stroke: #30363d; } .axis { stroke: #9198a1; }
  .f0 { fill: #58a6ff; } .f1 { fill: #f0883e; } .f2 { fill: #3fb950; }
  .f3 { fill: #bc8cff; } .f4 { fill: #f778ba; } .f5 { fill: #8b949e; }
  .s0 { stroke: #58a6ff; } .s1 { stroke: #f0883e; } .s2 { stroke: #3fb950; }
  .s3 { stroke: #bc8cff; } .s4 { stroke: #f778ba; } .s5 { stroke: #8b949e; }
}
";

/// Distinguishable colours; further series start again.
const COLOURS: usize = 6;

impl Bars {
    pub fn draw(&self) -> String {
        let (left, right, top, pitch) = (270.0, 60.0, 64.0, 20.0);
        let width = 860.0;
        let height = top + pitch * self.items.len() as f64 + 34.0;
        let mut svg = open(width, height, &self.title);
        let scale =
            Scale::logarithmic(self.items.iter().map(|item| item.1).chain([0.9, 1.1]), (left, width - right));
        let one = scale.place(1.0);
        text(&mut svg, one - 8.0, 46.0, "dim right", &format!("◂ {}", self.worse));
        text(&mut svg, one + 8.0, 46.0, "dim", &format!("{} ▸", self.better));
        let bottom = height - 28.0;
        for tick in scale.ticks() {
            let x = scale.place(tick);
            line(&mut svg, "grid", (x, top - 8.0), (x, bottom));
            text(&mut svg, x, bottom + 16.0, "dim middle", &number(tick));
        }
        for (row, (label, value)) in self.items.iter().enumerate() {
            let y = top + pitch * row as f64;
            let end = scale.place(*value);
            let colour = if *value >= 1.0 { 0 } else { 1 };
            let _ = writeln!(
                svg,
                r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="13" class="f{colour}"/>"#,
                one.min(end),
                y,
                (end - one).abs().max(1.0)
            );
            text(&mut svg, left - 12.0, y + 11.0, "right", label);
            let (x, class) = if *value >= 1.0 { (end + 5.0, "") } else { (end - 5.0, "right") };
            text(&mut svg, x, y + 11.0, class, &format!("{value:.2}"));
        }
        line(&mut svg, "axis", (one, top - 8.0), (one, bottom));
        svg + "</svg>\n"
    }
}

impl Lines {
    pub fn draw(&self) -> String {
        let (left, right, top, bottom) = (74.0, 236.0, 44.0, 54.0);
        let (width, height) = (860.0, 440.0);
        let mut svg = open(width, height, &self.title);
        let points = || {
            let all = self.series.iter().flat_map(|series| series.points.iter().copied());
            all.filter(|(x, y)| *x > 0.0 && *y > 0.0)
        };
        let x = Scale::new(&self.x, points().map(|point| point.0), (left, width - right));
        let y = Scale::new(&self.y, points().map(|point| point.1), (height - bottom, top));
        for tick in x.ticks() {
            let at = x.place(tick);
            line(&mut svg, "grid", (at, top), (at, height - bottom));
            text(&mut svg, at, height - bottom + 18.0, "dim middle", &number(tick));
        }
        for tick in y.ticks() {
            let at = y.place(tick);
            line(&mut svg, "grid", (left, at), (width - right, at));
            text(&mut svg, left - 8.0, at + 4.0, "dim right", &number(tick));
        }
        text(&mut svg, (left + width - right) / 2.0, height - 12.0, "middle", &self.x.label);
        let _ = writeln!(
            svg,
            r#"<text class="middle" transform="translate(18 {:.0}) rotate(-90)">{}</text>"#,
            (top + height - bottom) / 2.0,
            escape(&self.y.label)
        );
        for (index, series) in self.series.iter().enumerate() {
            draw_series(&mut svg, series, index % COLOURS, &x, &y);
            let at = top + 10.0 + 20.0 * index as f64;
            let dot = width - right + 18.0;
            circle(&mut svg, dot, at - 4.0, index % COLOURS);
            text(&mut svg, dot + 12.0, at, "", &series.name);
        }
        svg + "</svg>\n"
    }
}

fn draw_series(svg: &mut String, series: &Series, colour: usize, x: &Scale, y: &Scale) {
    let points = series.points.iter().filter(|(px, py)| *px > 0.0 && *py > 0.0);
    let places: Vec<(f64, f64)> = points.map(|(px, py)| (x.place(*px), y.place(*py))).collect();
    if series.joined {
        let path: Vec<String> = places.iter().map(|(px, py)| format!("{px:.1},{py:.1}")).collect();
        let _ = writeln!(svg, r#"<polyline points="{}" class="series s{colour}"/>"#, path.join(" "));
    }
    for (px, py) in places {
        circle(svg, px, py, colour);
    }
}

/// From values to places on the page.
struct Scale {
    linear: bool,
    low: f64,
    high: f64,
    /// Where `low` and `high` are.
    from: f64,
    to: f64,
}

impl Scale {
    fn new(axis: &Axis, values: impl Iterator<Item = f64>, range: (f64, f64)) -> Scale {
        if axis.linear { Scale::linear(values, range) } else { Scale::logarithmic(values, range) }
    }

    fn linear(values: impl Iterator<Item = f64>, (from, to): (f64, f64)) -> Scale {
        let high = values.fold(0.0, f64::max);
        Scale { linear: true, low: 0.0, high: if high > 0.0 { 1.08 * high } else { 1.0 }, from, to }
    }

    /// With a little room at both ends.
    fn logarithmic(values: impl Iterator<Item = f64>, (from, to): (f64, f64)) -> Scale {
        let range = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
        let (low, high) = values.filter(|value| *value > 0.0).fold((f64::INFINITY, 0.0), range);
        let (low, high) = if high > 0.0 { (low, high) } else { (1.0, 10.0) };
        let room = (high / low).powf(0.06).max(1.15);
        Scale { linear: false, low: low / room, high: high * room, from, to }
    }

    fn place(&self, value: f64) -> f64 {
        let share = if self.linear {
            (value - self.low) / (self.high - self.low)
        } else {
            (value / self.low).ln() / (self.high / self.low).ln()
        };
        self.from + share * (self.to - self.from)
    }

    /// Round values within the range: 1, 2 and 5 of each decade, or only 1 if that would be too many.
    fn ticks(&self) -> Vec<f64> {
        if self.linear {
            let step = round_step(self.high / 6.0);
            return (0..)
                .map(|index| f64::from(index) * step)
                .take_while(|tick| *tick <= self.high)
                .collect();
        }
        let decades = (self.low.log10().floor() as i32)..=(self.high.log10().ceil() as i32);
        let digits: &[f64] = if decades.clone().count() > 5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let all = decades.flat_map(|decade| digits.iter().map(move |digit| digit * 10f64.powi(decade)));
        all.filter(|tick| (self.low..=self.high).contains(tick)).collect()
    }
}

/// The next of 1, 2, 5, 10, ... above.
fn round_step(step: f64) -> f64 {
    let decade = 10f64.powf(step.log10().floor());
    let digit = [1.0, 2.0, 5.0, 10.0].into_iter().find(|digit| digit * decade >= step);
    digit.unwrap_or(10.0) * decade
}

/// A round number as people write it: `0.05`, `20`, `5 k`, `10 M`.
fn number(value: f64) -> String {
    let (value, unit) = match value {
        value if value >= 1e9 => (value / 1e9, " G"),
        value if value >= 1e6 => (value / 1e6, " M"),
        value if value >= 1e3 => (value / 1e3, " k"),
        value => (value, ""),
    };
    // Seven digits hide what adding decimal fractions leaves behind.
    let text = format!("{value:.7}");
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

fn open(width: f64, height: f64, title: &str) -> String {
    let title = escape(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
         <rect class=\"back\" width=\"{width}\" height=\"{height}\"/>\n\
         <text class=\"title\" x=\"16\" y=\"24\">{title}</text>\n"
    )
}

fn text(svg: &mut String, x: f64, y: f64, class: &str, content: &str) {
    let _ = writeln!(svg, r#"<text class="{class}" x="{x:.1}" y="{y:.1}">{}</text>"#, escape(content));
}

fn line(svg: &mut String, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    let _ = writeln!(svg, r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#);
}

fn circle(svg: &mut String, x: f64, y: f64, colour: usize) {
    let _ = writeln!(svg, r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" class="f{colour}"/>"#);
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let all: Vec<String> = [0.05, 0.3, 1.0, 20.0, 5e3, 1e7, 2.5e9].into_iter().map(number).collect();
        assert_eq!(all, ["0.05", "0.3", "1", "20", "5 k", "10 M", "2.5 G"]);
    }

    #[test]
    fn ticks_are_round_and_within() {
        let scale = Scale::logarithmic([0.4, 9.0].into_iter(), (0.0, 100.0));
        assert_eq!(scale.ticks(), [0.5, 1.0, 2.0, 5.0, 10.0]);
        let scale = Scale::linear([4.0].into_iter(), (0.0, 100.0));
        assert_eq!(scale.ticks(), [0.0, 1.0, 2.0, 3.0, 4.0]);
        let many = Scale::logarithmic([1.0, 1e8].into_iter(), (0.0, 1.0)).ticks();
        assert!(many.contains(&1e4) && !many.contains(&2e4));
    }

    #[test]
    fn places_follow_the_scale() {
        let scale = Scale { linear: false, low: 1.0, high: 100.0, from: 0.0, to: 10.0 };
        assert!((scale.place(10.0) - 5.0).abs() < 1e-9);
        let upwards = Scale { linear: true, low: 0.0, high: 4.0, from: 40.0, to: 0.0 };
        assert!((upwards.place(1.0) - 30.0).abs() < 1e-9);
    }

    #[test]
    fn bars_are_drawn_and_escaped() {
        let items = vec![("a < b & c".to_owned(), 2.0), ("slow".to_owned(), 0.5)];
        let bars = Bars { title: "t".into(), better: "faster".into(), worse: "slower".into(), items };
        let svg = bars.draw();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("a &lt; b &amp; c"));
        assert_eq!(svg.matches("<rect").count(), 3);
        assert!(svg.contains("prefers-color-scheme: dark"));
    }

    #[test]
    fn lines_leave_out_what_has_no_logarithm() {
        let axis = |linear| Axis { label: "x".into(), linear };
        let series = |points, joined| Series { name: "s".into(), points, joined };
        let series = vec![series(vec![(1.0, 1.0), (10.0, 0.0), (100.0, 3.0)], true), series(vec![], false)];
        let svg = Lines { title: "t".into(), x: axis(false), y: axis(true), series }.draw();
        // Two points, and one in each line of the legend.
        assert_eq!(svg.matches("<circle").count(), 4);
        assert_eq!(svg.matches("<polyline").count(), 1);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
