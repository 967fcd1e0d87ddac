//! Which files are loaded where: for the explorer, so that it can find source lines and names, and to know whose code it is.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ops::Range;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::Module;

use crate::image::Segment;
use crate::library;
use crate::sys;
use crate::token::{caller, controlled, my_process, process, region};

/// The beginning of what the loader says about a file.
#[repr(C)]
pub struct File {
    base: u64,
    name: *const c_char,
    segments: *const Segment,
    n_segments: u16,
    /// How many files were loaded so far.
    n_loaded: u64,
}

impl File {
    /// Empty if it is the program itself.
    pub fn path(&self) -> &[u8] {
        // SAFETY: the loader's names end with a zero byte.
        unsafe { CStr::from_ptr(self.name) }.to_bytes()
    }

    /// Where its code is.
    pub fn code(&self) -> impl Iterator<Item = Range<usize>> {
        self.segments().filter(|segment| segment.is_code()).map(|segment| segment.range(self.base))
    }

    /// What is loaded and not written.
    pub fn constants(&self) -> impl Iterator<Item = Range<usize>> {
        let constants = self.segments().filter(|segment| segment.is_constant());
        constants.map(|segment| segment.range(self.base))
    }

    /// Where its variables are.
    pub fn variables(&self) -> impl Iterator<Item = Range<usize>> {
        self.segments().filter(|segment| segment.is_writable()).map(|segment| segment.range(self.base))
    }

    fn segments(&self) -> impl Iterator<Item = &Segment> {
        // SAFETY: the loader has a table of this length.
        unsafe { core::slice::from_raw_parts(self.segments, usize::from(self.n_segments)) }.iter()
    }
}

type Visit<'v> = &'v mut dyn FnMut(&File);

unsafe extern "C" {
    fn dl_iterate_phdr(
        callback: extern "C" fn(*const File, usize, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
}

/// Visits the program and its libraries.
pub fn each_file(mut visit: Visit) {
    // SAFETY: `step` is called with the place of `visit`, before this function returns.
    unsafe { dl_iterate_phdr(step, &raw mut visit as *mut c_void) };
}

extern "C" fn step(file: *const File, _: usize, visit: *mut c_void) -> c_int {
    // SAFETY: see `each_file`; the loader passes its own record.
    let (visit, file) = unsafe { (&mut *(visit as *mut Visit), &*file) };
    visit(file);
    0
}

/// How many files had been loaded when the explorer was told; 0 if it was not told about all.
static N_TOLD: AtomicU64 = AtomicU64::new(0);

/// Tells the explorer about the program and its libraries. To be called before any execution.
pub fn tell() {
    let region = region();
    region.header.n_modules.store(0, Relaxed);
    each_file(&mut note);
    let has_room = (region.header.n_modules.load(Relaxed) as usize) < region.modules.len();
    N_TOLD.store(if has_room { n_loaded() } else { 0 }, Relaxed);
}

fn n_loaded() -> u64 {
    extern "C" fn of_first(file: *const File, _: usize, count: *mut c_void) -> c_int {
        // SAFETY: the loader passes its own record, `n_loaded` the place of its result.
        unsafe { *(count as *mut u64) = (*file).n_loaded };
        1
    }
    let mut count = 0;
    // SAFETY: `of_first` is called before this function returns.
    unsafe { dl_iterate_phdr(of_first, &raw mut count as *mut c_void) };
    count
}

/// The file that this process executes.
const OWN_PROGRAM: &CStr = c"/proc/self/exe";

/// Does this process execute another program than the first one? Its memory is not looked at.
fn is_foreign() -> bool {
    process(my_process()).is_foreign.load(Relaxed) != 0
}

/// Tells the explorer about libraries that were loaded after `main` began. To be called before they
/// can be gone.
pub fn tell_later() {
    if is_foreign() || n_loaded() == N_TOLD.load(Relaxed) {
        return;
    }
    each_file(&mut |file| {
        let count = region().header.n_modules.load(Relaxed) as usize;
        let is_known = |module: &Module| module.base.load(Relaxed) == file.base;
        let path = file.path();
        if region().modules[..count].iter().any(is_known) || path.is_empty() {
            return;
        }
        let mut whole = [0; LONGEST];
        let mut length = 0;
        if path[0] != b'/' {
            let place = whole.as_mut_ptr() as usize;
            length = sys::call(GETCWD, place, LONGEST, 0, 0, 0, 0).max(0) as usize;
            // Instead of the zero byte at its end.
            whole[length.saturating_sub(1)] = b'/';
        }
        let rest = &mut whole[length..];
        let n_copied = path.len().min(rest.len());
        rest[..n_copied].copy_from_slice(&path[..n_copied]);
        region().later_files.add(&whole[..length + n_copied]);
    });
}

#[unsafe(no_mangle)]
pub extern "C" fn dlclose(library: *mut c_void) -> c_int {
    if controlled().is_some() {
        tell_later();
    }
    library::uses(library::state::LIBRARIES, true, caller());
    real!(c"dlclose": fn(*mut c_void) -> c_int, (library))
}

/// This process has memory that threads or other processes share. If it executes another program,
/// the explorer is told: that memory is not looked at.
pub fn shares_memory() {
    if !is_foreign() {
        return;
    }
    let mut path = [0; LONGEST];
    let (name, place) = (OWN_PROGRAM.as_ptr() as usize, path.as_mut_ptr() as usize);
    let length = sys::call(READLINK, name, place, LONGEST, 0, 0, 0).max(0) as usize;
    region().executed.add(&path[..length]);
}

const GETCWD: usize = 79;
const READLINK: usize = 89;
const LONGEST: usize = 4096;

fn note(file: &File) {
    let region = region();
    let number = region.header.n_modules.load(Relaxed);
    let Some(module) = region.modules.get(number as usize) else { return };
    module.base.store(file.base, Relaxed);
    module.path.store(&[file.path()]);
    region.header.n_modules.store(number + 1, Relaxed);
}
