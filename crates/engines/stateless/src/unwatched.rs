//! Which parts of a program announce their accesses to memory, and which do not.
//!
//! A program may be put together from files that were compiled with `-fsanitize=thread` and files that were not. What the latter do to memory is not seen.
//! The question is asked for each unit of the debug information, that is for each file that was compiled: gcc notes its options in it; of
//! other compilers it is enough that some function of the unit calls a hook. Functions that belong to no unit are asked one by one, if they touch a variable. Code that
//! cannot share memory with others needs no hooks: what the C runtime puts at the beginning and the end of programs, assembler, and functions
//! that touch no memory but their stack. Of a file that has hooks, the functions that have none are asked all the same: they may be told to have none,
//! or be written in assembly, as are atomic instructions wherever they are. Other assembly beside hooks is not noticed.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::path::Path;

use gimli::{
    AttributeValue, BaseAddresses, CieOrFde, Dwarf, EhFrame, EndianArcSlice, Reader, RunTimeEndian,
    UnwindSection,
};
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionKind, SymbolKind};

use crate::machine_code::{instructions, touches_memory};

type Bytes = EndianArcSlice<RunTimeEndian>;

/// The files, or the functions if no more is known, of a program and its own libraries that announce nothing. Libraries of the system are none of its own.
pub fn unwatched<'p>(files: impl Iterator<Item = &'p Path>) -> Vec<String> {
    let own = files.filter(|path| !is_of_the_system(path));
    let mut found: Vec<String> = own.flat_map(of_file).collect();
    found.sort();
    found.dedup();
    found
}

/// Does a library come with the system, or is it ours?
fn is_of_the_system(path: &Path) -> bool {
    let is_library = path.file_name().is_some_and(|name| name.to_string_lossy().contains(".so"));
    let places = ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/local/lib/", "/nix/", "/opt/"];
    let text = path.to_string_lossy();
    let is_ours = text.contains("/allways-runtime-");
    is_ours || is_library && places.iter().any(|place| text.starts_with(place))
}

/// The name of a file without its folder.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn of_file(path: &Path) -> Vec<String> {
    // What the kernel itself puts into every program has no place.
    let unknown = || if path.is_absolute() { vec![file_name(path)] } else { Vec::new() };
    let Ok(bytes) = std::fs::read(path) else { return unknown() };
    let Ok(file) = object::File::parse(&*bytes) else { return unknown() };
    let code = Code::read(&file);
    if code.hooks.is_empty() {
        return if code.touches_memory() { vec![file_name(path)] } else { Vec::new() };
    }
    let units = units(&file).unwrap_or_default();
    let mut found = BTreeSet::new();
    for unit in &units {
        let is_announced = unit.is_announced.unwrap_or_else(|| code.calls_hook(&unit.ranges));
        if !is_announced && code.is_worth(&unit.ranges) {
            found.insert(unit.name.clone());
        }
    }
    // A function without hooks may also be told to have none:
    // `__attribute__((no_sanitize("thread")))`.
    let unit_of =
        |address: u64| units.iter().find(|unit| unit.ranges.iter().any(|range| range.contains(&address)));
    for (range, name) in &code.functions {
        let is_to_be_asked = unit_of(range.start).is_none_or(|unit| {
            unit.asks_for_functions && unit.is_announced.unwrap_or_else(|| code.calls_hook(&unit.ranges))
        });
        if is_to_be_asked && !is_of_the_runtime(name) && code.is_unwatched(range) {
            found.insert(format!("{name}()"));
        }
    }
    // Functions whose names were stripped: `strip`, or `ld -x` for those of one file.
    let is_unnamed = |range: &Range<u64>| {
        unit_of(range.start).is_none()
            && !code.functions.iter().any(|(named, _)| named.contains(&range.start))
    };
    let mut unnamed = code.unwound.iter().filter(|range| is_unnamed(range)).peekable();
    let knows_functions = !units.is_empty() || !code.functions.is_empty() || unnamed.peek().is_some();
    if !knows_functions || unnamed.any(|range| code.is_unwatched(range)) {
        found.insert(file_name(path));
    }
    found.into_iter().collect()
}

/// A file that was compiled.
struct Unit {
    name: String,
    ranges: Vec<Range<u64>>,
    /// Whether it has hooks, if the compiler says so.
    is_announced: Option<bool>,
    /// It has hooks as a whole; is there still something to ask of its functions?
    asks_for_functions: bool,
}

/// The units of languages that could have hooks.
fn units(file: &object::File) -> Option<Vec<Unit>> {
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let section = |id: gimli::SectionId| -> Result<Bytes, gimli::Error> {
        let data = file.section_by_name(id.name()).and_then(|section| section.uncompressed_data().ok());
        Ok(EndianArcSlice::new(data.unwrap_or(Cow::Borrowed(&[])).into(), endian))
    };
    let dwarf = Dwarf::load(section).ok()?;
    let mut found = Vec::new();
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        if let Ok(unit) = dwarf.unit(header)
            && let Some(unit) = read_unit(&dwarf, &unit)
        {
            found.push(unit);
        }
    }
    Some(found)
}

fn read_unit(dwarf: &Dwarf<Bytes>, unit: &gimli::Unit<Bytes>) -> Option<Unit> {
    let mut entries = unit.entries();
    let (_, root) = entries.next_dfs().ok()??;
    let text = |name: gimli::DwAt| {
        let value = root.attr_value(name).ok().flatten()?;
        let text = dwarf.attr_string(unit, value).ok()?;
        Some(text.to_string_lossy().ok()?.into_owned())
    };
    let mut ranges = Vec::new();
    let mut list = dwarf.unit_ranges(unit).ok()?;
    while let Ok(Some(range)) = list.next() {
        ranges.push(range.begin..range.end);
    }
    let language = root.attr_value(gimli::DW_AT_language).ok().flatten();
    let is_assembler = matches!(
        language,
        Some(AttributeValue::Language(gimli::DW_LANG_Mips_Assembler | gimli::DW_LANG_lo_user))
    );
    let producer = text(gimli::DW_AT_producer).unwrap_or_default();
    let notes_options = producer.starts_with("GNU C") && producer.contains(" -m")
        || producer.contains("clang") && producer.contains(" -c ");
    let is_announced = match is_assembler || producer.starts_with("GNU AS") {
        true => Some(true),
        false if producer.contains("-fsanitize=thread") => Some(true),
        false if notes_options => Some(false),
        false => None,
    };
    let name = text(gimli::DW_AT_name).unwrap_or_default();
    // The standard library of Rust is never compiled so; what it orders is treated on its own.
    let is_in_library = |path: &str| path.starts_with("/rustc/") || path.starts_with("/rust/deps/");
    let is_rust_library = name.contains("/rustc/")
        || name.contains("/rust/deps/")
        || text(gimli::DW_AT_comp_dir).is_some_and(|directory| is_in_library(&directory));
    let asks_for_functions =
        !is_rust_library && is_announced != Some(true) || producer.contains("-fsanitize=thread");
    let is_announced = if is_rust_library { Some(true) } else { is_announced };
    let name = name.rsplit('/').next().unwrap_or(&name).to_string();
    Some(Unit { name, ranges, is_announced, asks_for_functions })
}

/// The machine code of a file.
struct Code<'f> {
    sections: Vec<(u64, &'f [u8])>,
    functions: Vec<(Range<u64>, String)>,
    /// Where functions are, by the tables for unwinding, which no tool strips.
    unwound: Vec<Range<u64>>,
    /// Where variables are that can be written.
    variables: Vec<Range<u64>>,
    /// Where hooks are called: entries of the linkage table, and the places of their addresses.
    hooks: HashSet<u64>,
}

impl<'f> Code<'f> {
    fn read(file: &object::File<'f>) -> Code<'f> {
        let is_code = |section: &object::Section<'f, '_>| section.kind() == SectionKind::Text;
        let data = |section: object::Section<'f, '_>| Some((section.address(), section.data().ok()?));
        let sections: Vec<_> = file.sections().filter(is_code).filter_map(data).collect();
        let mut functions: Vec<_> = file.symbols().filter_map(function).collect();
        functions.sort_by_key(|(range, _)| range.start);
        functions.dedup_by_key(|(range, _)| range.start);
        let is_variable = |section: &object::Section<'f, '_>| {
            // What the loader fills in is no variable.
            const OF_THE_LOADER: [&str; 6] =
                [".got", ".got.plt", ".dynamic", ".init_array", ".fini_array", ".data.rel.ro"];
            matches!(section.kind(), SectionKind::Data | SectionKind::UninitializedData)
                && !section.name().is_ok_and(|name| OF_THE_LOADER.contains(&name))
        };
        let place = |section: object::Section<'f, '_>| section.address()..section.address() + section.size();
        let variables = file.sections().filter(is_variable).map(place).collect();
        let mut code =
            Code { sections, functions, unwound: unwound(file), variables, hooks: hook_slots(file) };
        code.add_stubs();
        code
    }

    /// An entry of the linkage table jumps to where a slot says: `jmp *slot(%rip)`.
    fn add_stubs(&mut self) {
        let mut stubs = Vec::new();
        for (start, bytes) in &self.sections {
            for (at, window) in bytes.windows(6).enumerate() {
                let next = start + at as u64 + 6;
                if window[..2] == [0xff, 0x25] && self.hooks.contains(&target(next, &window[2..])) {
                    // It may begin with `endbr64`, and another prefix.
                    stubs.extend([0, 1, 4, 5].map(|before| (next - 6).wrapping_sub(before)));
                }
            }
        }
        self.hooks.extend(stubs);
    }

    fn bytes(&self, range: &Range<u64>) -> &'f [u8] {
        let inside =
            |(start, bytes): &&(u64, &[u8])| (*start..start + bytes.len() as u64).contains(&range.start);
        let Some((start, bytes)) = self.sections.iter().find(inside) else { return &[] };
        let from = (range.start - start) as usize;
        &bytes[from..(from + (range.end.saturating_sub(range.start)) as usize).min(bytes.len())]
    }

    /// Does some instruction touch memory that others may know?
    fn touches_memory_in(&self, range: &Range<u64>) -> bool {
        let is_variable = |address: u64| self.variables.iter().any(|variables| variables.contains(&address));
        touches_memory(&instructions(self.bytes(range), range.start), is_variable)
    }

    /// Does this function touch memory without calling a hook?
    fn is_unwatched(&self, range: &Range<u64>) -> bool {
        self.has_atomic_instructions(range)
            || !self.calls_hook(std::slice::from_ref(range)) && self.touches_memory_in(range)
    }

    /// Is there an atomic instruction? Compilers call a hook instead, so it was written in
    /// assembly.
    fn has_atomic_instructions(&self, range: &Range<u64>) -> bool {
        instructions(self.bytes(range), range.start).iter().any(|instruction| instruction.is_atomic)
    }

    /// Does some instruction in these ranges call a hook, by the linkage table or by a slot?
    fn calls_hook(&self, ranges: &[Range<u64>]) -> bool {
        ranges.iter().any(|range| {
            let bytes = self.bytes(range);
            let near = bytes.windows(5).enumerate().any(|(at, window)| {
                matches!(window[0], 0xe8 | 0xe9)
                    && self.hooks.contains(&target(range.start + at as u64 + 5, &window[1..]))
            });
            near || bytes.windows(6).enumerate().any(|(at, window)| {
                window[0] == 0xff
                    && matches!(window[1], 0x15 | 0x25)
                    && self.hooks.contains(&target(range.start + at as u64 + 6, &window[2..]))
            })
        })
    }

    /// Might some instruction of the functions in these ranges touch memory that others can touch?
    fn is_worth(&self, ranges: &[Range<u64>]) -> bool {
        let is_inside = |start: u64| ranges.iter().any(|range| range.contains(&start));
        let mut inside = self.functions.iter().filter(|(range, _)| is_inside(range.start)).peekable();
        if inside.peek().is_none() {
            return ranges.iter().any(|range| self.touches_memory_in(range));
        }
        inside.any(|(range, name)| !is_of_the_runtime(name) && self.touches_memory_in(range))
    }

    fn touches_memory(&self) -> bool {
        let mut functions = self.functions.iter();
        functions.any(|(range, name)| !is_of_the_runtime(name) && self.touches_memory_in(range))
            || self.functions.is_empty() && !self.sections.is_empty()
    }
}

/// The address that a distance from the next instruction leads to.
fn target(next: u64, distance: &[u8]) -> u64 {
    let distance = i32::from_le_bytes([distance[0], distance[1], distance[2], distance[3]]);
    next.wrapping_add_signed(i64::from(distance))
}

fn function(symbol: object::Symbol) -> Option<(Range<u64>, String)> {
    let is_one = symbol.kind() == SymbolKind::Text && symbol.is_definition() && symbol.size() > 0;
    let range = symbol.address()..symbol.address() + symbol.size();
    is_one.then_some((range, symbol.name().ok()?.to_string()))
}

/// The functions that the tables for unwinding have, but for entries of the linkage table.
fn unwound(file: &object::File) -> Vec<Range<u64>> {
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let (Some(text), Some(table)) = (file.section_by_name(".text"), file.section_by_name(".eh_frame")) else {
        return Vec::new();
    };
    let bases = BaseAddresses::default().set_text(text.address()).set_eh_frame(table.address());
    let mut frames = EhFrame::new(table.data().unwrap_or_default(), endian);
    frames.set_address_size(8);
    let is_code = |address| (text.address()..text.address() + text.size()).contains(&address);
    let mut found = Vec::new();
    let mut entries = frames.entries(&bases);
    while let Ok(Some(entry)) = entries.next() {
        if let CieOrFde::Fde(partial) = entry
            && let Ok(function) = partial.parse(EhFrame::cie_from_offset)
            && is_code(function.initial_address())
        {
            found.push(function.initial_address()..function.end_address());
        }
    }
    found
}

/// The places where the loader puts the addresses of hooks.
fn hook_slots(file: &object::File) -> HashSet<u64> {
    let Some(relocations) = file.dynamic_relocations() else { return HashSet::new() };
    let table = file.dynamic_symbol_table();
    let is_hook = |target: RelocationTarget| {
        use object::ObjectSymbolTable;
        let RelocationTarget::Symbol(index) = target else { return false };
        let symbol = table.as_ref().and_then(|table| table.symbol_by_index(index).ok());
        symbol.and_then(|symbol| symbol.name().ok().map(is_hook_name)).unwrap_or(false)
    };
    relocations.filter(|(_, relocation)| is_hook(relocation.target())).map(|(place, _)| place).collect()
}

/// The call that each file makes once before `main` is not one: linkers put those of several files together.
fn is_hook_name(name: &str) -> bool {
    name.starts_with("__tsan_") && name != "__tsan_init"
}

/// Is it a function of the standard library of Rust, or of what that is made with? Some of these come
/// without debug information.
fn is_of_rust_library(name: &str) -> bool {
    const CRATES: [&str; 13] = [
        "core",
        "alloc",
        "std",
        "panic_unwind",
        "compiler_builtins",
        "rustc_demangle",
        "addr2line",
        "gimli",
        "object",
        "memchr",
        "miniz_oxide",
        "adler2",
        "hashbrown",
    ];
    // The last crate in a name is the one that the function was made in.
    let crates = name.match_indices("Cs").filter_map(|(at, _)| crate_at(&name[at + 2..]));
    name.starts_with("_R") && crates.last().is_some_and(|made_in| CRATES.contains(&made_in))
}

/// A crate in a name of Rust: a number, and the name with its length before it, as in `9aB_4core`.
fn crate_at(text: &str) -> Option<&str> {
    let (number, rest) = text.split_once('_')?;
    let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = rest[..n_digits].parse().ok()?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_alphanumeric());
    rest.get(n_digits..n_digits + length).filter(|_| is_number && length > 0)
}

/// Functions that the compiler's own files put into every program.
fn is_of_the_runtime(name: &str) -> bool {
    const NAMES: [&str; 12] = [
        "_start",
        "_init",
        "_fini",
        "deregister_tm_clones",
        "register_tm_clones",
        "__do_global_dtors_aux",
        "frame_dummy",
        "__libc_csu_init",
        "__libc_csu_fini",
        "_dl_relocate_static_pie",
        "atexit",
        "at_quick_exit",
    ];
    NAMES.contains(&name)
        || is_of_rust_library(name)
        || name.starts_with("_GLOBAL__")
        || name.starts_with("_sub_")
        || name.starts_with("__x86.")
        || name.starts_with("__cxx_global_var_init")
        || name.starts_with("tsan.module_")
        || name.starts_with("__static_initialization_and_destruction")
        || name.starts_with("_IO_stdin")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_library_of_rust_are_known_by_their_crate() {
        for (name, expected) in [
            ("_RNvMCs2wvwJDwge2F_6adler2NtB2_7Adler3211write_slice", true),
            ("_RNvXsv_NtNtCsgEmfK2I1SDS_4core3str7patternNtB5_11StrSearcherNtB5_8Searcher4next", true),
            ("_RINvMNtCsgEmfK2I1SDS_4core3stre18trim_start_matchesReECsgY6Mt91CT9J_14rustc_demangle", true),
            // Of the library, but made for a program.
            ("_RINvNtCsgEmfK2I1SDS_4core3ptr4swapiECsf19dcfa_4main", false),
            ("_RNvCsf19dcfa_4main5count", false),
            ("count", false),
        ] {
            assert_eq!(is_of_rust_library(name), expected, "{name}");
        }
    }
}
