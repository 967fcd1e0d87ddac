//! Source lines, functions and names of variables for the addresses of a program, from its symbols and its DWARF.
//!
//! Nothing is read before it is asked for. A program without debug information still has the names of its functions and variables, one that was stripped
//! has neither; both are no error.

mod file;
mod variables;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use self::file::SymbolFile;

/// A file that is loaded, and what was added to its addresses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    pub path: PathBuf,
    pub base: u64,
}

/// Where in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The function, in the words of the source.
    pub function: Option<String>,
    pub file: String,
    pub line: u32,
}

/// What the addresses of a program mean.
pub struct Symbols {
    /// The program itself is the first.
    modules: Vec<(Module, OnceCell<Option<SymbolFile>>)>,
    places: RefCell<HashMap<Vec<u64>, Option<Place>>>,
    globals: RefCell<HashMap<u64, Option<String>>>,
}

impl Symbols {
    pub fn new(modules: Vec<Module>) -> Symbols {
        let modules = modules.into_iter().map(|module| (module, OnceCell::new())).collect();
        Symbols { modules, places: RefCell::default(), globals: RefCell::default() }
    }

    /// The program and the libraries that it is linked with.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.modules.iter().map(|(module, _)| module.path.as_path())
    }

    /// The line that made a call, by the addresses that the calls return to, innermost first. That is the innermost line of the program itself, not one of
    /// a header or library that everybody has; if there is none, the innermost.
    pub fn place(&self, callers: &[u64]) -> Option<Place> {
        if let Some(known) = self.places.borrow().get(callers) {
            return known.clone();
        }
        let place = self.find_place(callers);
        self.places.borrow_mut().insert(callers.to_vec(), place.clone());
        place
    }

    fn find_place(&self, callers: &[u64]) -> Option<Place> {
        let mut innermost = None;
        for address in callers.iter().filter(|address| **address != 0) {
            // The call is before the place it returns to.
            let Some((file, address)) = self.file_with(*address - 1) else { break };
            for place in file.places(address) {
                if !is_common(&place.file) {
                    return Some(place);
                }
                innermost.get_or_insert(place);
            }
        }
        innermost
    }

    /// The functions of headers and libraries that the innermost line of the program itself is in, by the addresses that calls return to.
    pub fn called_by_program(&self, callers: &[u64]) -> Vec<String> {
        let calls = callers.iter().filter_map(|address| self.file_with(address.checked_sub(1)?));
        let places = calls.flat_map(|(file, address)| file.places(address));
        places.take_while(|place| is_common(&place.file)).filter_map(|place| place.function).collect()
    }

    /// Is an instruction, by the address after it, in a file whose path ends so, or in a function from there that was inlined?
    pub fn is_in_file(&self, address: u64, end: &str) -> bool {
        let file = address.checked_sub(1).and_then(|address| self.file_with(address));
        file.is_some_and(|(file, address)| file.places(address).iter().any(|place| place.file.ends_with(end)))
    }

    /// The place of an instruction in words, by the address after it: `table.c:17 in dine`, or `table+0x1180` if no more is known.
    pub fn words(&self, address: u64) -> String {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(place) = self.place(&[address]) {
            let line = format!("{}:{}", name(Path::new(&place.file)), place.line);
            return place.function.map_or(line.clone(), |function| format!("{line} in {function}"));
        }
        let module = self.modules.iter().map(|(module, _)| module).filter(|module| module.base <= address);
        match module.max_by_key(|module| module.base) {
            Some(module) => format!("{}+{:#x}", name(&module.path), address - module.base),
            None => format!("{address:#x}"),
        }
    }

    /// The function that begins here, if it is one of the program itself.
    pub fn function(&self, address: u64) -> Option<String> {
        let (module, _) = self.modules.first()?;
        let (file, address) = self.file_with(address).filter(|(file, _)| file.base == module.base)?;
        let place = file.places(address).into_iter().last();
        if place.as_ref().is_some_and(|place| is_common(&place.file)) {
            return None;
        }
        place.and_then(|place| place.function).or_else(|| file.function(address))
    }

    /// The outermost function of the program itself among those that made a call: for a thread that a library started, what it runs.
    pub fn outermost(&self, callers: &[u64]) -> Option<String> {
        let calls = callers.iter().rev().filter(|address| **address != 0);
        let places = calls.filter_map(|address| self.file_with(*address - 1)).flat_map(|(file, address)| {
            let mut places = file.places(address);
            places.reverse();
            places
        });
        places.filter(|place| !is_common(&place.file)).find_map(|place| place.function)
    }

    /// The global variable at an address, or the part of one: `forks[1]`, `table.lock`, `name+0x10` if no more is known.
    pub fn global(&self, address: u64) -> Option<String> {
        if let Some(known) = self.globals.borrow().get(&address) {
            return known.clone();
        }
        let name = self.file_with(address).and_then(|(file, address)| file.global(address));
        // Where our library stands in for that of C, its variables are what these functions share.
        let name = name.map(|name| match name.contains("allways_stateless_runtime::") {
            true if name.contains("::calendar::") => {
                "the result of localtime, gmtime, ctime or asctime".to_string()
            }
            true => "what functions of the C library share".to_string(),
            false => name,
        });
        self.globals.borrow_mut().insert(address, name.clone());
        name
    }

    /// The file that has this address, and the address in it.
    fn file_with(&self, address: u64) -> Option<(&SymbolFile, u64)> {
        let mut candidates: Vec<_> =
            self.modules.iter().filter(|(module, _)| module.base <= address).collect();
        candidates.sort_by_key(|(module, _)| std::cmp::Reverse(module.base));
        candidates.into_iter().find_map(|(module, file)| {
            let file = file.get_or_init(|| SymbolFile::open(module)).as_ref()?;
            let address = address - module.base;
            file.contains(address).then_some((file, address))
        })
    }
}

/// Is it a file that comes with the compiler or the system?
fn is_common(file: &str) -> bool {
    // clang finds headers by the way of its own folder.
    let file = file.replace("/usr/bin/../", "/usr/");
    let is_below = |folder: &str| file.starts_with(folder);
    const FOLDERS: [&str; 8] = [
        "/usr/include/",
        "/usr/lib/",
        "/usr/src/",
        "/rustc/",
        "/rust/deps/",
        "/build/",
        "./nptl/",
        "../sysdeps/",
    ];
    FOLDERS.into_iter().any(is_below)
        || file.contains("/rustlib/src/")
        || file.contains("/.cargo/registry/")
        || file.contains("/include/c++/")
        || file.ends_with("/allways.h")
        || !Path::new(&file).is_absolute() && file.contains("glibc")
}
