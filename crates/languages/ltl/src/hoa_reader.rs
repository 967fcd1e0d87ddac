//! The reader of the Hanoi omega-automata format.

use crate::hoa::{Acceptance, HoaAutomaton, HoaError, HoaState, letter_label};
use crate::{Edge, Label};

#[derive(Clone, PartialEq, Eq, Debug)]
enum Word {
    /// `name:`
    Header(String),
    Identifier(String),
    /// `@name`
    Alias(String),
    Text(String),
    Number(u64),
    Sign(char),
    Body,
    End,
    Abort,
}

pub(crate) struct Reader {
    words: Vec<(Word, usize)>,
    next: usize,
}

/// Labels with more cubes than this are refused.
const MAX_CUBES: usize = 20_000;
const MAX_DEPTH: usize = 200;
const MAX_STATES: u64 = 10_000_000;

type Result<T> = std::result::Result<T, HoaError>;

/// What the header says.
struct Header {
    automaton: HoaAutomaton,
    aliases: Vec<(String, Label)>,
    /// Where the names of `Alias:` lines stand. They are read last, for the header may say later what they need.
    alias_lines: Vec<usize>,
    n_propositions: u32,
    has_acceptance: bool,
    n_states: Option<u64>,
}

impl Reader {
    pub fn new(text: &str) -> Result<Reader> {
        Ok(Reader { words: words(text)?, next: 0 })
    }

    /// The next automaton that is not aborted; none at the end.
    pub fn automaton(&mut self) -> Result<Option<HoaAutomaton>> {
        loop {
            if self.next >= self.words.len() {
                return Ok(None);
            }
            let header = self.header()?;
            match header {
                None => continue,
                Some(header) => {
                    if let Some(automaton) = self.body(header)? {
                        return Ok(Some(automaton));
                    }
                }
            }
        }
    }

    fn peek(&self) -> Option<&Word> {
        self.words.get(self.next).map(|(word, _)| word)
    }

    fn take(&mut self) -> Option<Word> {
        let word = self.peek().cloned();
        self.next += 1;
        word
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        let at = self.next.min(self.words.len().saturating_sub(1));
        let line = self.words.get(at).map_or(1, |(_, line)| *line);
        Err(HoaError::Syntax { line, message: message.into() })
    }

    fn is_sign(&self, sign: char) -> bool {
        self.peek() == Some(&Word::Sign(sign))
    }

    fn take_sign(&mut self, sign: char) -> bool {
        let found = self.is_sign(sign);
        self.next += usize::from(found);
        found
    }

    fn expect_sign(&mut self, sign: char) -> Result<()> {
        if self.take_sign(sign) { Ok(()) } else { self.error(format!("`{sign}` is expected here")) }
    }

    fn number(&mut self, what: &str, max: u64) -> Result<u64> {
        match self.peek() {
            Some(Word::Number(n)) if *n <= max => {
                let n = *n;
                self.next += 1;
                Ok(n)
            }
            Some(Word::Number(n)) => {
                let what = format!("{n} as {what}");
                Err(HoaError::Unsupported { what })
            }
            _ => self.error(format!("{what} is expected here")),
        }
    }

    fn text(&mut self) -> Result<String> {
        match self.take() {
            Some(Word::Text(text)) => Ok(text),
            _ => {
                self.next -= 1;
                self.error("a text in quotation marks is expected here")
            }
        }
    }

    /// None if the automaton was aborted in its header.
    fn header(&mut self) -> Result<Option<Header>> {
        let version = (self.take(), self.take());
        if version.0 != Some(Word::Header("HOA".into())) {
            self.next -= 2;
            return self.error("`HOA: v1` is expected here");
        }
        match version.1 {
            Some(Word::Identifier(v)) if v == "v1" => {}
            other => return Err(HoaError::Unsupported { what: format!("version {other:?}") }),
        }
        let mut header = Header {
            automaton: HoaAutomaton {
                name: None,
                propositions: Vec::new(),
                start: Vec::new(),
                n_sets: 0,
                acceptance: Acceptance::True,
                properties: Vec::new(),
                states: Vec::new(),
            },
            aliases: Vec::new(),
            alias_lines: Vec::new(),
            n_propositions: 0,
            has_acceptance: false,
            n_states: None,
        };
        loop {
            match self.take() {
                Some(Word::Body) => break,
                Some(Word::Abort) => return Ok(None),
                Some(Word::Header(name)) => self.header_line(&name, &mut header)?,
                _ => {
                    self.next -= 1;
                    return self.error("a header line or `--BODY--` is expected here");
                }
            }
        }
        if !header.has_acceptance {
            return self.error("there is no `Acceptance:` line");
        }
        let body = self.next;
        let mut lines = std::mem::take(&mut header.alias_lines);
        while !lines.is_empty() {
            // One may use another that stands behind it.
            let n_before = lines.len();
            let mut first_error = None;
            lines.retain(|line| {
                self.next = *line;
                let read = self.alias(&mut header);
                let failed = read.is_err();
                first_error = first_error.take().or(read.err());
                failed
            });
            if let Some(error) = first_error.filter(|_| lines.len() == n_before) {
                return Err(error);
            }
        }
        self.next = body;
        Ok(Some(header))
    }

    fn alias(&mut self, header: &mut Header) -> Result<()> {
        let Some(Word::Alias(alias)) = self.take() else {
            self.next -= 1;
            return self.error("a name with `@` is expected here");
        };
        let label = self.label(header, 0)?;
        match self.peek() {
            Some(Word::Header(_) | Word::Body) => {}
            _ => return self.error("a header line or `--BODY--` is expected here"),
        }
        header.aliases.push((alias, label));
        Ok(())
    }

    fn skip_line(&mut self) {
        while !matches!(self.peek(), None | Some(Word::Header(_) | Word::Body | Word::Abort | Word::End)) {
            self.next += 1;
        }
    }

    fn header_line(&mut self, name: &str, header: &mut Header) -> Result<()> {
        let automaton = &mut header.automaton;
        match name {
            "States" => header.n_states = Some(self.number("the number of states", MAX_STATES)?),
            "Start" => {
                automaton.start.push(self.number("a state", MAX_STATES)? as u32);
                if self.is_sign('&') {
                    return Err(HoaError::Unsupported { what: "alternation".into() });
                }
            }
            "AP" => {
                header.n_propositions = self.number("the number of propositions", 64)? as u32;
                for _ in 0..header.n_propositions {
                    automaton.propositions.push(self.text()?);
                }
            }
            "Alias" => {
                header.alias_lines.push(self.next);
                self.skip_line();
            }
            "Acceptance" => {
                header.has_acceptance = true;
                automaton.n_sets = self.number("the number of sets", 64)? as u32;
                automaton.acceptance = self.acceptance(automaton.n_sets, 0)?;
            }
            "name" => automaton.name = Some(self.text()?),
            "properties" => {
                while let Some(Word::Identifier(property)) = self.peek() {
                    automaton.properties.push(property.clone());
                    self.next += 1;
                }
            }
            "HOA" => return self.error("a second automaton begins before `--BODY--`"),
            _ if name.starts_with(|c: char| c.is_uppercase()) => {
                return Err(HoaError::Unsupported { what: format!("the header line `{name}:`") });
            }
            // Others are hints.
            _ => self.skip_line(),
        }
        Ok(())
    }

    fn acceptance(&mut self, n_sets: u32, depth: usize) -> Result<Acceptance> {
        let mut parts = vec![self.acceptance_product(n_sets, depth)?];
        while self.take_sign('|') {
            parts.push(self.acceptance_product(n_sets, depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Acceptance::Or(parts) })
    }

    fn acceptance_product(&mut self, n_sets: u32, depth: usize) -> Result<Acceptance> {
        let mut parts = vec![self.acceptance_atom(n_sets, depth)?];
        while self.take_sign('&') {
            parts.push(self.acceptance_atom(n_sets, depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Acceptance::And(parts) })
    }

    fn acceptance_atom(&mut self, n_sets: u32, depth: usize) -> Result<Acceptance> {
        if depth > MAX_DEPTH {
            return self.error("the condition is nested too deeply");
        }
        if self.take_sign('(') {
            let inner = self.acceptance(n_sets, depth + 1)?;
            self.expect_sign(')')?;
            return Ok(inner);
        }
        let kind = match self.take() {
            Some(Word::Identifier(word)) => word,
            _ => String::new(),
        };
        match kind.as_str() {
            "t" => return Ok(Acceptance::True),
            "f" => return Ok(Acceptance::False),
            "Inf" | "Fin" => {}
            _ => {
                self.next -= 1;
                return self.error("`Inf`, `Fin`, `t` or `f` is expected here");
            }
        }
        self.expect_sign('(')?;
        let negated = self.take_sign('!');
        let set = self.number("a set", 63)? as u32;
        if set >= n_sets {
            return self.error(format!("there is no set {set}"));
        }
        self.expect_sign(')')?;
        Ok(match (kind.as_str(), negated) {
            ("Inf", false) => Acceptance::Inf(set),
            ("Inf", true) => Acceptance::InfNot(set),
            (_, false) => Acceptance::Fin(set),
            _ => Acceptance::FinNot(set),
        })
    }

    fn label(&mut self, header: &Header, depth: usize) -> Result<Label> {
        let mut label = self.label_product(header, depth)?;
        while self.take_sign('|') {
            let other = self.label_product(header, depth)?;
            label = self.bounded(label.or(&other))?;
        }
        Ok(label)
    }

    fn label_product(&mut self, header: &Header, depth: usize) -> Result<Label> {
        let mut label = self.label_atom(header, depth)?;
        while self.take_sign('&') {
            let other = self.label_atom(header, depth)?;
            if label.cubes.len().saturating_mul(other.cubes.len()) > 100 * MAX_CUBES {
                return Err(HoaError::Unsupported { what: "a label of this size".into() });
            }
            label = self.bounded(label.and(&other))?;
        }
        Ok(label)
    }

    fn label_atom(&mut self, header: &Header, depth: usize) -> Result<Label> {
        if depth > MAX_DEPTH {
            return self.error("the label is nested too deeply");
        }
        match self.take() {
            Some(Word::Sign('!')) => {
                let inner = self.label_atom(header, depth + 1)?;
                let mut result = Label::always();
                // One cube at a time, so that growth is noticed.
                for cube in inner.cubes {
                    result = self.bounded(result.and(&Label { cubes: vec![cube] }.not()))?;
                }
                Ok(result)
            }
            Some(Word::Sign('(')) => {
                let inner = self.label(header, depth + 1)?;
                self.expect_sign(')')?;
                Ok(inner)
            }
            Some(Word::Identifier(word)) if word == "t" => Ok(Label::always()),
            Some(Word::Identifier(word)) if word == "f" => Ok(Label::never()),
            Some(Word::Number(p)) if p < u64::from(header.n_propositions) => {
                Ok(Label::literal(p as u32, true))
            }
            Some(Word::Number(p)) => {
                self.next -= 1;
                self.error(format!("there is no proposition {p}"))
            }
            Some(Word::Alias(name)) => match header.aliases.iter().find(|(alias, _)| *alias == name) {
                Some((_, label)) => Ok(label.clone()),
                None => {
                    self.next -= 1;
                    self.error(format!("`@{name}` has no meaning yet"))
                }
            },
            _ => {
                self.next -= 1;
                self.error("a label is expected here")
            }
        }
    }

    fn bounded(&self, label: Label) -> Result<Label> {
        if label.cubes.len() > MAX_CUBES {
            return Err(HoaError::Unsupported { what: "a label of this size".into() });
        }
        Ok(label)
    }

    /// None if the automaton was aborted.
    fn body(&mut self, header: Header) -> Result<Option<HoaAutomaton>> {
        let mut states: Vec<Option<HoaState>> = Vec::new();
        loop {
            match self.take() {
                Some(Word::End) => break,
                Some(Word::Abort) => return Ok(None),
                Some(Word::Header(word)) if word == "State" => {
                    let (number, state) = self.state(&header)?;
                    if states.len() <= number {
                        states.resize(number + 1, None);
                    }
                    if states[number].replace(state).is_some() {
                        return self.error(format!("state {number} is described twice"));
                    }
                }
                _ => {
                    self.next -= 1;
                    return self.error("`State:` or `--END--` is expected here");
                }
            }
        }
        let mut automaton = header.automaton;
        let targets = states.iter().flatten().flat_map(|s| &s.edges).map(|e| e.target);
        let mentioned =
            targets.chain(automaton.start.iter().copied()).map(|s| u64::from(s) + 1).max().unwrap_or(0);
        let n_states = mentioned.max(states.len() as u64);
        if header.n_states.is_some_and(|n| n < n_states) {
            return self.error(format!("there is a state {} but `States:` says otherwise", n_states - 1));
        }
        if n_states > 100 * (self.words.len() as u64 + 10) {
            return Err(HoaError::Unsupported { what: "a state number of this size".into() });
        }
        automaton.states = states.into_iter().map(Option::unwrap_or_default).collect();
        let n_states = header
            .n_states
            .map_or(n_states, |n| if n <= 100 * (self.words.len() as u64 + 10) { n } else { n_states });
        automaton.states.resize(n_states as usize, HoaState::default());
        Ok(Some(automaton))
    }

    fn state(&mut self, header: &Header) -> Result<(usize, HoaState)> {
        let own_label = self.label_in_brackets(header)?;
        // Numbers index a vector: they may not be much larger than the text is long.
        let number = self.number("the number of a state", 100 * (self.words.len() as u64 + 10))? as usize;
        let mut state = HoaState::default();
        if let Some(Word::Text(name)) = self.peek() {
            state.name = Some(name.clone());
            self.next += 1;
        }
        let own_sets = self.sets(header)?;
        let mut n_implicit = 0u64;
        loop {
            let label = self.label_in_brackets(header)?;
            if label.is_none() && !matches!(self.peek(), Some(Word::Number(_))) {
                break;
            }
            let target = self.number("the number of a state", MAX_STATES)? as u32;
            if self.is_sign('&') {
                return Err(HoaError::Unsupported { what: "alternation".into() });
            }
            let marks = self.sets(header)? | own_sets;
            let label = match (label, &own_label) {
                (Some(_), Some(_)) => return self.error("both the state and its edge have a label"),
                (Some(label), None) => label,
                (None, Some(label)) => label.clone(),
                (None, None) => {
                    n_implicit += 1;
                    if header.n_propositions > 20 || n_implicit > 1 << header.n_propositions {
                        return self.error("there are more edges without a label than letters");
                    }
                    letter_label(n_implicit - 1, header.n_propositions)
                }
            };
            if !label.is_false() {
                state.edges.push(Edge { label, target, marks });
            }
        }
        if n_implicit > 0 && n_implicit != 1 << header.n_propositions {
            return self.error("there must be an edge for each letter if edges have no labels");
        }
        Ok((number, state))
    }

    fn label_in_brackets(&mut self, header: &Header) -> Result<Option<Label>> {
        if !self.take_sign('[') {
            return Ok(None);
        }
        let label = self.label(header, 0)?;
        self.expect_sign(']')?;
        Ok(Some(label))
    }

    fn sets(&mut self, header: &Header) -> Result<u64> {
        let mut marks = 0;
        if self.take_sign('{') {
            while !self.take_sign('}') {
                let set = self.number("a set", 63)?;
                if set >= u64::from(header.automaton.n_sets) {
                    return self.error(format!("there is no set {set}"));
                }
                marks |= 1 << set;
            }
        }
        Ok(marks)
    }
}

/// The words of a text with their lines.
fn words(text: &str) -> Result<Vec<(Word, usize)>> {
    let mut words = Vec::new();
    let mut line = 1;
    let mut rest = text;
    let error = |line: usize, message: &str| Err(HoaError::Syntax { line, message: message.into() });
    while let Some(first) = rest.chars().next() {
        let started = line;
        let length;
        if first.is_whitespace() {
            length = first.len_utf8();
        } else if rest.starts_with("/*") {
            match comment_length(rest) {
                Some(n) => length = n,
                None => return error(line, "this comment does not end"),
            }
        } else if first == '"' {
            let Some((text, n)) = quoted(rest) else { return error(line, "this text does not end") };
            words.push((Word::Text(text), started));
            length = n;
        } else if rest.starts_with("--") {
            let marks = [("--BODY--", Word::Body), ("--END--", Word::End), ("--ABORT--", Word::Abort)];
            match marks.iter().find(|(mark, _)| rest.starts_with(mark)) {
                Some((mark, word)) => {
                    words.push((word.clone(), started));
                    length = mark.len();
                }
                None => return error(line, "`--BODY--`, `--END--` or `--ABORT--` is expected here"),
            }
        } else if first.is_ascii_digit() {
            length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            match rest[..length].parse() {
                Ok(number) => words.push((Word::Number(number), started)),
                Err(_) => return error(line, "this number is too large"),
            }
        } else if first.is_alphabetic() || first == '_' || first == '@' {
            let name = |c: char| c.is_alphanumeric() || c == '_' || c == '-' || c == '.';
            let n = 1 + rest[first.len_utf8()..]
                .find(|c: char| !name(c))
                .unwrap_or(rest.len() - first.len_utf8());
            let n = n - 1 + first.len_utf8();
            let word = rest[..n].to_string();
            if first == '@' {
                words.push((Word::Alias(word[1..].to_string()), started));
                length = n;
            } else if rest[n..].starts_with(':') {
                words.push((Word::Header(word), started));
                length = n + 1;
            } else {
                words.push((Word::Identifier(word), started));
                length = n;
            }
        } else {
            words.push((Word::Sign(first), started));
            length = first.len_utf8();
        }
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    Ok(words)
}

/// Comments may be nested.
fn comment_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0, 0);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => {
                depth += 1;
                at += 2;
            }
            b"*/" => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => at += 1,
        }
    }
    None
}

/// The text between quotation marks and how long it is with them.
fn quoted(rest: &str) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => return Some((text, i + 1)),
            '\\' => text.push(chars.next()?.1),
            _ => text.push(c),
        }
    }
    None
}
