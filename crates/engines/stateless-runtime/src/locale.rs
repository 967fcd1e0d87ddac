//! The locale of the process: functions that look at it, beside those that share something else
//! (`library.rs`).
//!
//! Some are called very often. So they tell that only if the locale is changed while there are
//! several threads ([`marks`](crate::uses::marks)). `isalpha` and its relatives are left out: their
//! tables are those of the thread, which another thread does not change.

use crate::containers::announced;
use crate::library::{state, uses};
use crate::memory::{Frame, place_of};
use crate::uses::is_marked;

type Unused = usize;

/// Announces a look at the locale.
#[inline]
pub fn is_used(place: u64) {
    if is_marked(state::LOCALE) {
        uses(state::LOCALE, false, place);
    }
}

extern "C" fn looks(_: Unused, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) {
    is_used(place_of(frame));
}

announced! {
    iswalnum => looks;
    iswalpha => looks;
    iswblank => looks;
    iswcntrl => looks;
    iswdigit => looks;
    iswgraph => looks;
    iswlower => looks;
    iswprint => looks;
    iswpunct => looks;
    iswspace => looks;
    iswupper => looks;
    iswxdigit => looks;
    iswctype => looks;
    wctype => looks;
    wctrans => looks;
    towctrans => looks;
    towlower => looks;
    towupper => looks;
    wcwidth => looks;
    wcswidth => looks;
    wcscasecmp => looks;
    wcsncasecmp => looks;
    wcstod => looks;
    wcstof => looks;
    wcstold => looks;
    wcsftime => looks;
    mbrtoc8 => looks;
    mbrtoc16 => looks;
    mbrtoc32 => looks;
    c8rtomb => looks;
    c16rtomb => looks;
    c32rtomb => looks;
    mbsnrtowcs => looks;
    wcsnrtombs => looks;
    regcomp => looks;
    regexec => looks;
    fnmatch => looks;
    rpmatch => looks;
    strcasestr => looks;
    strptime => looks;
    iconv_open => looks;
    duplocale => looks;
    strerror => looks;
    strsignal => looks;
}
