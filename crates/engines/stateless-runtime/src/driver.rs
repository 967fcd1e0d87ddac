//! What test drivers call: choices, assertions, declared operations.

use core::ffi::{CStr, c_char};

use allways_stateless_protocol::{Kind, ObjectKind, Operation, Outcome};

use crate::objects::{NAMES, in_space};
use crate::process::failed_assertion;
use crate::schedule::before;
use crate::token::{caller, controlled, fail};

fn toss(most: i32, place: u64) -> i32 {
    let Some(me) = controlled() else { return 0 };
    if most <= 0 {
        return 0;
    }
    before(me, Operation { kind: Kind::Toss, argument: most as u64, place, ..Operation::default() }) as i32
}

/// Any number from 0 to `most`.
#[unsafe(no_mangle)]
pub extern "C" fn aw_toss(most: i32) -> i32 {
    toss(most, caller())
}

#[unsafe(no_mangle)]
pub extern "C" fn VS_toss(most: i32) -> i32 {
    toss(most, caller())
}

#[unsafe(no_mangle)]
pub extern "C" fn aw_assert(is_true: i32) {
    if let Some(me) = controlled()
        && is_true == 0
    {
        fail(me, Outcome::Assertion, &[b"assertion failed"]);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn VS_assert(is_true: i32) {
    aw_assert(is_true);
}

/// The same with the text of the expression and its place.
#[unsafe(no_mangle)]
pub extern "C" fn aw_assert_at(is_true: i32, expression: *const c_char, file: *const c_char, line: i32) {
    if let Some(me) = controlled()
        && is_true == 0
    {
        failed_assertion(me, expression, file, line as u32);
    }
}

/// An execution in which this is false is of no interest. It ends here, so what others would have done is tried in other orders, as after an assertion.
#[unsafe(no_mangle)]
pub extern "C" fn aw_assume(is_true: i32) {
    if let Some(me) = controlled()
        && is_true == 0
    {
        fail(me, Outcome::Assumed, &[]);
    }
}

/// A number for a text that the program passes (FNV-1a).
pub fn hash(name: *const c_char) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    if name.is_null() {
        return BASIS;
    }
    // SAFETY: the program passes a text that ends with a zero byte.
    let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
    bytes.iter().fold(BASIS, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// A step that others can notice, on something with a name.
#[unsafe(no_mangle)]
pub extern "C" fn aw_visible(name: *const c_char) {
    let Some(me) = controlled() else { return };
    let object = in_space(ObjectKind::Name, NAMES, hash(name), |_| ());
    before(me, Operation { kind: Kind::Visible, object, place: caller(), ..Operation::default() });
}
