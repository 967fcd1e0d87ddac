//! Test drivers in Rust for `allways explore`: the same functions as `include/allways.h` has for C.
//!
//! - [`toss`]`(n)` gives a number from 0 to `n`; the explorer tries every one of them.
//! - [`assert!`](crate::assert!) violates the property `assertions` if its expression is false.
//! - [`assume`]`(holds)` ends an execution in which it is false: that is of no interest, and violates nothing.
//! - [`visible`]`(name)` is a visible operation on the object `name`: other threads may run before it, and two calls with the
//!   same name are never taken for independent. It goes right before each access to shared data that no lock protects.
//!
//! A program that uses this crate also runs by itself: a toss then gives 0, or what the environment variable `ALLWAYS_TOSS`
//! says (`2,0,1` gives the results one by one, each at most `n`, and 0 from then on); an assertion panics; `visible` does
//! nothing. Under `allways explore` the functions come from the library that is loaded into the program.
//!
//! ```
//! let choice = allways_driver::toss(2);
//! allways_driver::visible(c"turn");
//! allways_driver::assert!(choice <= 2);
//! ```

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

type Toss = unsafe extern "C" fn(c_int) -> c_int;
type Check = unsafe extern "C" fn(c_int, *const c_char, *const c_char, c_int);
type Assume = unsafe extern "C" fn(c_int);
type Visible = unsafe extern "C" fn(*const c_char);

/// A number from 0 to `most`.
pub fn toss(most: u16) -> u16 {
    static ADDRESS: Lookup = Lookup::new(c"aw_toss");
    let Some(address) = ADDRESS.get() else { return toss_alone(most) };
    // SAFETY: the library that explores defines `aw_toss` with this type; it is `include/allways.h`'s too.
    let toss: Toss = unsafe { std::mem::transmute(address) };
    // SAFETY: it may be called with any number, from any thread.
    let value = unsafe { toss(c_int::from(most)) };
    u16::try_from(value).unwrap_or(0).min(most)
}

/// A visible operation on the object `name`.
pub fn visible(name: &CStr) {
    static ADDRESS: Lookup = Lookup::new(c"aw_visible");
    let Some(address) = ADDRESS.get() else { return };
    // SAFETY: as in `toss`.
    let visible: Visible = unsafe { std::mem::transmute(address) };
    // SAFETY: the name ends with a zero byte and lives during the call.
    unsafe { visible(name.as_ptr()) }
}

/// An execution in which this is false is of no interest: it ends here, and violates nothing.
pub fn assume(holds: bool) {
    static ADDRESS: Lookup = Lookup::new(c"aw_assume");
    let Some(address) = ADDRESS.get() else {
        if !holds {
            std::process::exit(0);
        }
        return;
    };
    // SAFETY: as in `toss`.
    let assume: Assume = unsafe { std::mem::transmute(address) };
    // SAFETY: it may be called with any number, from any thread.
    unsafe { assume(c_int::from(holds)) };
}

/// Violates the property `assertions` if the expression is false.
#[macro_export]
macro_rules! assert {
    ($expression:expr $(,)?) => {
        $crate::check($expression, stringify!($expression), file!(), line!())
    };
}

/// What [`assert!`](crate::assert!) calls.
pub fn check(holds: bool, expression: &str, file: &str, line: u32) {
    static ADDRESS: Lookup = Lookup::new(c"aw_assert_at");
    let Some(address) = ADDRESS.get() else {
        std::assert!(holds, "{file}:{line}: assert!({expression}) is violated");
        return;
    };
    // SAFETY: as in `toss`.
    let check: Check = unsafe { std::mem::transmute(address) };
    let (expression, file) = (text(expression), text(file));
    let line = c_int::try_from(line).unwrap_or(c_int::MAX);
    // SAFETY: both texts end with a zero byte and live during the call.
    unsafe { check(c_int::from(holds), expression.as_ptr(), file.as_ptr(), line) }
}

/// Source text contains no zero byte, so nothing is lost in practice.
fn text(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

/// The next result that the environment gives.
fn toss_alone(most: u16) -> u16 {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    std::env::var("ALLWAYS_TOSS").map_or(0, |values| given(&values, number)).min(most)
}

fn given(values: &str, number: usize) -> u16 {
    values.split(',').nth(number).and_then(|value| value.trim().parse().ok()).unwrap_or(0)
}

/// A function of the library that explores, looked up when it is first needed. No lock of the standard library is used
/// for it: that would be an operation of the program which nobody wrote.
struct Lookup {
    name: &'static CStr,
    /// Null before the first use, then the function or `ABSENT`.
    address: AtomicPtr<c_void>,
}

/// Where no function can be.
const ABSENT: *mut c_void = ptr::without_provenance_mut(1);

impl Lookup {
    const fn new(name: &'static CStr) -> Lookup {
        Lookup { name, address: AtomicPtr::new(ptr::null_mut()) }
    }

    fn get(&self) -> Option<*mut c_void> {
        let mut address = self.address.load(Ordering::Relaxed);
        if address.is_null() {
            address = find(self.name);
            if address.is_null() {
                address = ABSENT;
            }
            self.address.store(address, Ordering::Relaxed);
        }
        (address != ABSENT).then_some(address)
    }
}

#[cfg(target_os = "linux")]
fn find(name: &CStr) -> *mut c_void {
    unsafe extern "C" {
        fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    // SAFETY: a null handle is RTLD_DEFAULT on Linux: search everything that is loaded. The name ends with a zero byte.
    unsafe { dlsym(ptr::null_mut(), name.as_ptr()) }
}

#[cfg(not(target_os = "linux"))]
fn find(_name: &CStr) -> *mut c_void {
    ptr::null_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alone_a_toss_gives_what_the_environment_says() {
        assert_eq!(given("2,0, 1", 0), 2);
        assert_eq!(given("2,0, 1", 2), 1);
        assert_eq!(given("2,0, 1", 3), 0);
        assert_eq!(given("", 0), 0);
        assert_eq!(toss(3), 0);
    }

    #[test]
    fn alone_an_operation_does_nothing_and_an_assertion_panics() {
        visible(c"x");
        crate::assert!(1 + 1 == 2);
        let failed = std::panic::catch_unwind(|| crate::assert!(1 + 1 == 3));
        let message = *failed.unwrap_err().downcast::<String>().unwrap();
        std::assert!(message.contains("1 + 1 == 3"), "{message}");
    }

    #[test]
    fn what_is_loaded_is_found() {
        std::assert!(Lookup::new(c"malloc").get().is_some());
        std::assert!(Lookup::new(c"aw_surely_nowhere").get().is_none());
    }
}
