//! What one file tells.

use std::cell::OnceCell;
use std::ops::Range;
use std::path::PathBuf;

use addr2line::{Loader, demangle_auto};
use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};

use super::variables::Variables;
use super::{Module, Place};

/// The symbols and the debug information of a file. Addresses are those in the file.
pub struct SymbolFile {
    path: PathBuf,
    pub base: u64,
    segments: Vec<Range<u64>>,
    /// Variables, by address.
    data: Vec<(Range<u64>, String)>,
    lines: OnceCell<Option<Loader>>,
    variables: OnceCell<Variables>,
}

impl SymbolFile {
    pub fn open(module: &Module) -> Option<SymbolFile> {
        let bytes = std::fs::read(&module.path).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        let segments = file.segments().map(|segment| segment.address()..segment.address() + segment.size());
        let is_variable = |symbol: &object::Symbol| {
            symbol.kind() == SymbolKind::Data && symbol.is_definition() && symbol.size() > 0
        };
        let named = |symbol: object::Symbol| {
            let range = symbol.address()..symbol.address() + symbol.size();
            Some((range, demangled(symbol.name().ok()?)))
        };
        let mut data: Vec<_> =
            file.symbols().chain(file.dynamic_symbols()).filter(is_variable).filter_map(named).collect();
        data.sort_by_key(|(range, _)| (range.start, range.end));
        Some(SymbolFile {
            path: module.path.clone(),
            base: module.base,
            segments: segments.collect(),
            data,
            lines: OnceCell::new(),
            variables: OnceCell::new(),
        })
    }

    pub fn contains(&self, address: u64) -> bool {
        self.segments.iter().any(|segment| segment.contains(&address))
    }

    /// The line of an address, then the lines into which it was inlined.
    pub fn places(&self, address: u64) -> Vec<Place> {
        let mut places = Vec::new();
        let Some(lines) = self.lines() else { return places };
        let Ok(mut frames) = lines.find_frames(address) else { return places };
        while let Ok(Some(frame)) = frames.next() {
            let function = frame.function.and_then(|name| Some(short(&demangled(&name.raw_name().ok()?))));
            if let Some(location) = frame.location
                && let (Some(file), Some(line)) = (location.file, location.line)
            {
                places.push(Place { function, file: file.to_string(), line });
            }
        }
        places
    }

    /// The function at an address, from the symbols.
    pub fn function(&self, address: u64) -> Option<String> {
        self.lines()?.find_symbol(address).map(|name| short(&demangled(name)))
    }

    /// The variable at an address, or its part.
    pub fn global(&self, address: u64) -> Option<String> {
        let variables = self.variables.get_or_init(|| Variables::read(&self.path));
        if let Some(name) = variables.part_at(address) {
            return Some(name);
        }
        let (range, name) = self.data.iter().rev().find(|(range, _)| range.contains(&address))?;
        Some(match address - range.start {
            0 => name.clone(),
            offset => format!("{name}+{offset:#x}"),
        })
    }

    fn lines(&self) -> Option<&Loader> {
        self.lines.get_or_init(|| Loader::new(&self.path).ok()).as_ref()
    }
}

/// A name as in the source. The demangler takes some names that are none of C++ or Rust for encoded types: `a` would be `signed char`.
fn demangled(name: &str) -> String {
    match ["_Z", "__Z", "_R"].iter().any(|prefix| name.starts_with(prefix)) {
        true => demangle_auto(name.into(), None).into_owned(),
        false => name.to_string(),
    }
}

/// A function without its parameters and hash: `queue::push(int)` is `queue::push`.
fn short(name: &str) -> String {
    let name = match name.rsplit_once("::h") {
        Some((name, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => name,
        _ => name,
    };
    match name.find('(') {
        Some(at) if at > 0 && !name.contains("operator()") && !name.contains("{lambda") => {
            name[..at].to_string()
        }
        _ => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{demangled, short};

    #[test]
    fn only_encoded_names_are_decoded() {
        for name in ["a", "b", "c", "f", "i", "n", "v", "x", "St", "Pc", "main", "_z", "_", ""] {
            assert_eq!(demangled(name), name);
        }
        assert_eq!(demangled("_ZN5queue4pushEi"), "queue::push(int)");
        assert_eq!(demangled("_ZN5queue4push17h0123456789abcdefE"), "queue::push");
        assert_eq!(demangled("_RNvC5queue4push"), "queue::push");
    }

    #[test]
    fn functions_lose_their_parameters() {
        assert_eq!(short("Queue::push(int)"), "Queue::push");
        assert_eq!(short("queue::push::h0123456789abcdef"), "queue::push");
        assert_eq!(short("main"), "main");
        assert_eq!(
            short("run()::{lambda()#1}::operator()() const"),
            "run()::{lambda()#1}::operator()() const"
        );
    }
}
