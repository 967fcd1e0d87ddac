//! What the pictures have in common: an SVG writer, colours for light and dark, and the fitting of texts.
//!
//! The documents are self-contained: no fonts, scripts or ids, so that several can be put into one page. Whether a
//! text fits is decided here and not by the viewer, hence a monospace font and an estimate of its width that is on
//! the generous side.

use std::fmt::Write;

/// Height of the letters, roughly, with what is below the base line.
pub(crate) const FONT_SIZE: f64 = 12.0;
/// From one line of a text to the next.
pub(crate) const LINE_HEIGHT: f64 = 15.0;
/// Monospace fonts are 0.6 of their size wide, some a little more.
const CHARACTER_WIDTH: f64 = FONT_SIZE * 0.61;

/// What the pictures look like. The second part says only what differs in the dark.
const STYLE: &str = "\
.allways text{font:12px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#1f2430}\
.allways .bg{fill:#fff;stroke:none}\
.allways .halo{stroke:#fff;stroke-width:4;stroke-linejoin:round;fill:#fff}\
.allways .title{font-weight:bold}\
.allways .muted{fill:#6b7280}\
.allways .soft{fill:#f3f4f6;stroke:none}\
.allways .box{fill:#eef2ff;stroke:#4f5d95;stroke-width:1.2}\
.allways .frame{fill:none;stroke:#4f5d95;stroke-width:1.2}\
.allways .accept{fill:#fde68a;stroke:#92400e}\
.allways .progress{fill:#bbf7d0;stroke:#166534}\
.allways .line{fill:none;stroke:#4b5563;stroke-width:1.2}\
.allways .head{fill:#4b5563;stroke:none}\
.allways .faint{fill:none;stroke:#b6bcc8;stroke-width:1}\
.allways .message{fill:none;stroke:#1d4ed8;stroke-width:1.4}\
.allways .message-head{fill:#1d4ed8;stroke:none}\
.allways .life{fill:none;stroke:#166534;stroke-width:1.3}\
.allways .life-head{fill:#166534;stroke:none}\
.allways .escape{stroke:#9333ea;stroke-dasharray:5 3}\
.allways .escape-head{fill:#9333ea;stroke:none}\
.allways text.escape-text{fill:#7e22ce}\
.allways .atomic{stroke-width:2.6}\
.allways .dashed{stroke-dasharray:5 3}\
.allways .fail{fill:none;stroke:#dc2626;stroke-width:2}\
.allways .fail-head{fill:#dc2626;stroke:none}\
.allways .fail-band{fill:#fee2e2;stroke:#dc2626;stroke-width:1}\
.allways text.fail-text{fill:#b91c1c;font-weight:bold}\
@media (prefers-color-scheme:dark){\
.allways text{fill:#e5e7eb}\
.allways .bg{fill:#15181e}\
.allways .halo{stroke:#15181e;fill:#15181e}\
.allways .muted{fill:#9ca3af}\
.allways .soft{fill:#1f242d}\
.allways .box{fill:#232b45;stroke:#8b9bdc}\
.allways .frame{stroke:#8b9bdc}\
.allways .accept{fill:#6b4a10;stroke:#fbbf24}\
.allways .progress{fill:#14532d;stroke:#4ade80}\
.allways .line{stroke:#a3adbb}\
.allways .head{fill:#a3adbb}\
.allways .faint{stroke:#4a5261}\
.allways .message{stroke:#7aa7ff}\
.allways .message-head{fill:#7aa7ff}\
.allways .life{stroke:#4ade80}\
.allways .life-head{fill:#4ade80}\
.allways .escape{stroke:#c084fc}\
.allways .escape-head{fill:#c084fc}\
.allways text.escape-text{fill:#d8b4fe}\
.allways .fail{stroke:#f87171}\
.allways .fail-head{fill:#f87171}\
.allways .fail-band{fill:#4c1d1d;stroke:#f87171}\
.allways text.fail-text{fill:#fca5a5}\
}";

/// A point; y grows downwards.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Point {
    pub x: f64,
    pub y: f64,
}

impl Point {
    pub fn new(x: f64, y: f64) -> Point {
        Point { x, y }
    }
}

/// Where a text is in relation to its point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// An SVG document in the making.
#[derive(Default)]
pub(crate) struct Drawing {
    body: String,
}

impl Drawing {
    /// The whole document.
    pub fn finish(self, title: &str, width: f64, height: f64) -> String {
        let (width, height) = (number(width.ceil()), number(height.ceil()));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"allways\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{}</title>\n<style>{STYLE}</style>\n\
             <rect class=\"bg\" width=\"{width}\" height=\"{height}\"/>\n{}</svg>\n",
            escape(title),
            self.body
        )
    }

    /// Begins a group of shapes that share a tooltip. Ends with [`Drawing::end`].
    pub fn begin(&mut self, tooltip: &str) {
        self.add(format_args!("<g>"));
        if !tooltip.is_empty() {
            self.add(format_args!("<title>{}</title>", escape(tooltip)));
        }
    }

    pub fn end(&mut self) {
        self.add(format_args!("</g>"));
    }

    /// A rectangle with round corners, by its upper left corner.
    pub fn rectangle(&mut self, class: &str, at: Point, width: f64, height: f64, radius: f64) {
        let (x, y, width, height) = (number(at.x), number(at.y), number(width), number(height));
        let rest = format!("width=\"{width}\" height=\"{height}\" rx=\"{}\"", number(radius));
        self.add(format_args!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" {rest}/>"));
    }

    pub fn circle(&mut self, class: &str, at: Point, radius: f64) {
        let (x, y, radius) = (number(at.x), number(at.y), number(radius));
        self.add(format_args!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>"));
    }

    pub fn line(&mut self, class: &str, from: Point, to: Point) {
        self.path(class, &Path::from(from).line_to(to));
    }

    pub fn path(&mut self, class: &str, path: &Path) {
        self.add(format_args!("<path class=\"{class}\" d=\"{}\"/>", path.commands));
    }

    /// The head of an arrow at `tip` that comes from the direction of `from`.
    pub fn arrow_head(&mut self, class: &str, from: Point, tip: Point) {
        let (dx, dy) = (tip.x - from.x, tip.y - from.y);
        let length = (dx * dx + dy * dy).sqrt().max(0.001);
        let (dx, dy) = (dx / length, dy / length);
        let corner = |side: f64| Point::new(tip.x - 8.0 * dx - side * dy, tip.y - 8.0 * dy + side * dx);
        let path = Path::from(tip).line_to(corner(3.6)).line_to(corner(-3.6)).close();
        self.path(class, &path);
    }

    /// One line of text; `at` is on its base line.
    pub fn text(&mut self, class: &str, anchor: Anchor, at: Point, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let (x, y, text) = (number(at.x), number(at.y), escape(text));
        // Blanks inside of statements count.
        self.add(format_args!(
            "<text{class}{anchor} x=\"{x}\" y=\"{y}\" xml:space=\"preserve\">{text}</text>"
        ));
    }

    /// The same on top of lines: they do not come near the letters.
    pub fn text_over_lines(&mut self, class: &str, anchor: Anchor, at: Point, text: &str) {
        self.text("halo", anchor, at, text);
        self.text(class, anchor, at, text);
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        self.body.write_fmt(element).expect("writing to a string");
        self.body.push('\n');
    }
}

/// The outline of a shape.
pub(crate) struct Path {
    commands: String,
}

impl Path {
    pub fn from(start: Point) -> Path {
        Path { commands: format!("M{}", pair(start)) }
    }

    pub fn line_to(mut self, to: Point) -> Path {
        let _ = write!(self.commands, "L{}", pair(to));
        self
    }

    pub fn curve_to(mut self, first: Point, second: Point, to: Point) -> Path {
        let _ = write!(self.commands, "C{} {} {}", pair(first), pair(second), pair(to));
        self
    }

    pub fn close(mut self) -> Path {
        self.commands.push('Z');
        self
    }
}

fn pair(point: Point) -> String {
    format!("{} {}", number(point.x), number(point.y))
}

/// With at most one digit behind the point: enough for the eye, and the same on every machine.
fn number(value: f64) -> String {
    let tenths = (value * 10.0).round() as i64;
    match tenths % 10 {
        0 => (tenths / 10).to_string(),
        _ => format!("{}", tenths as f64 / 10.0),
    }
}

/// A text as the content of an XML element or attribute. Control characters cannot be in XML at all.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\n' | '\t' => escaped.push(character),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            character if character.is_control() => escaped.push('\u{fffd}'),
            character => escaped.push(character),
        }
    }
    escaped
}

/// How wide a text is in a picture.
pub(crate) fn width(text: &str) -> f64 {
    columns(text) as f64 * CHARACTER_WIDTH
}

/// How many columns of a terminal a text takes; what lies beyond the alphabets of Europe is taken for wide.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(character_columns).sum()
}

fn character_columns(character: char) -> usize {
    match character {
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' => 2,
        '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..='\u{1faff}' => 2,
        _ => 1,
    }
}

/// The text on one line, cut to at most this many columns with `…` at the end.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    shorten_with(text, limit, "…")
}

/// The same with another mark for what was cut.
pub(crate) fn shorten_with(text: &str, limit: usize, mark: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if columns(&text) <= limit {
        return text;
    }
    let mut room = limit.saturating_sub(columns(mark));
    let fits = |character: &char| {
        let needed = character_columns(*character);
        let fits = needed <= room;
        room = room.saturating_sub(needed);
        fits
    };
    let mut short: String = text.chars().take_while(fits).collect();
    short.extend(mark.chars().take(limit));
    short
}

/// The text on at most `lines` lines of at most `limit` columns, broken in front of operators if possible. What
/// does not fit is cut.
pub(crate) fn wrap(text: &str, limit: usize, lines: usize) -> Vec<String> {
    let mut wrapped = Vec::new();
    let mut rest = text.trim();
    while wrapped.len() + 1 < lines && columns(rest) > limit {
        let at = break_point(rest, limit);
        wrapped.push(shorten(rest[..at].trim_end(), limit));
        rest = rest[at..].trim_start();
    }
    wrapped.push(shorten(rest, limit));
    wrapped
}

/// A position inside of the text such that what is before it fits. Prefers one in front of `&&` or `||`, then one
/// at a blank, then one behind a comma or a bracket, as long as the line is not too short.
fn break_point(text: &str, limit: usize) -> usize {
    let mut used = 0;
    let mut best = (0, text.chars().next().map_or(0, char::len_utf8));
    for (at, character) in text.char_indices() {
        if used > limit {
            break;
        }
        let before = text[..at].chars().next_back();
        let quality = match (before, character) {
            _ if used * 3 < limit => 1,
            _ if text[at..].starts_with("&&") || text[at..].starts_with("||") => 4,
            (_, ' ') => 3,
            (Some(',' | ';' | '(' | ')' | ']'), _) => 2,
            _ => 1,
        };
        if at > 0 && quality >= best.0 {
            best = (quality, at);
        }
        used += character_columns(character);
    }
    best.1
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Panics if the text is not one XML element with properly nested elements inside, or has a bare `<` or `&`.
    /// Knows what [`Drawing`] writes, not all of XML.
    #[track_caller]
    pub(crate) fn check_well_formed(xml: &str) {
        let mut open: Vec<&str> = Vec::new();
        let mut rest = xml.trim();
        while let Some(at) = rest.find('<') {
            check_references(&rest[..at]);
            let end = at + rest[at..].find('>').expect("a tag ends");
            let tag = &rest[at + 1..end];
            rest = &rest[end + 1..];
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "the innermost open element is closed");
                assert!(!open.is_empty() || rest.is_empty(), "nothing behind the root element");
                continue;
            }
            let (name, attributes) = tag.trim_end_matches('/').split_once(' ').unwrap_or((tag, ""));
            check_attributes(attributes);
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert!(open.is_empty() && rest.is_empty(), "{open:?} open, {rest:?} left");
    }

    #[track_caller]
    fn check_attributes(mut rest: &str) {
        let mut seen = Vec::new();
        while !rest.trim().is_empty() {
            let (name, value) = rest.trim_start().split_once("=\"").expect("name=\"");
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "-:".contains(c)), "{name:?}");
            assert!(!seen.contains(&name), "{name} twice");
            seen.push(name);
            let (value, behind) = value.split_once('"').expect("a quote at the end");
            check_references(value);
            rest = behind;
        }
    }

    #[track_caller]
    fn check_references(text: &str) {
        assert!(!text.contains(['<', '>']) || text.contains("prefers-color-scheme"), "{text:?}");
        for reference in text.split('&').skip(1) {
            let name = reference.split(';').next().unwrap();
            assert!(["amp", "lt", "gt", "quot", "apos"].contains(&name), "&{name}");
        }
        assert!(text.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()), "{text:?}");
    }

    #[test]
    fn texts_are_shortened_to_the_width() {
        assert_eq!(shorten("abcdef", 6), "abcdef");
        assert_eq!(shorten("abcdef", 5), "abcd…");
        assert_eq!(shorten("日本語", 5), "日本…");
        assert_eq!(shorten("日本語", 4), "日…");
        assert_eq!(shorten("a\nb", 5), "a b");
        assert_eq!(shorten("ab", 0), "");
    }

    #[test]
    fn long_texts_are_broken_at_good_places() {
        assert_eq!(wrap("short", 10, 3), ["short"]);
        let text = "((flag[0]==1)&&(turn==1))||(x==2)";
        assert_eq!(wrap(text, 16, 3), ["((flag[0]==1)", "&&(turn==1))", "||(x==2)"]);
        assert_eq!(wrap(text, 16, 2), ["((flag[0]==1)", "&&(turn==1))||(…"]);
        assert_eq!(wrap("abcdefghij", 4, 9), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("日本語日本語", 4, 9), ["日本", "語日", "本語"]);
    }

    #[test]
    fn what_a_model_contains_cannot_break_the_document() {
        let mut drawing = Drawing::default();
        drawing.begin("</title> \" & \u{0}");
        drawing.text("", Anchor::Start, Point::new(1.25, -0.04), "a<b && c>'d'");
        drawing.end();
        let svg = drawing.finish("<&>", 10.2, 5.0);
        check_well_formed(&svg);
        assert!(svg.contains("a&lt;b &amp;&amp; c&gt;&apos;d&apos;"));
        assert!(svg.contains("x=\"1.3\" y=\"0\""));
    }
}
