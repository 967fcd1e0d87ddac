//! What the C library keeps for a whole process behind its functions: where random numbers are, what is called at the end, where `getopt` is.
//!
//! The order in which threads call such functions can matter, though the program shares nothing that anybody could see. Each state is an object of a
//! footprint (`uses.rs`), looked at or changed, and a call is a step only if several threads use the state in ways that do not commute. So
//! a program that draws its random numbers in one thread has no more steps than before.

use core::ffi::c_void;

use crate::containers::announced;
use crate::environment::VARIABLES;
use crate::kernel_state::needs_memory;
use crate::locale;
use crate::memory::{Frame, place_of};
use crate::paths::of_process;
use crate::token::caller;
use crate::uses::{marks, step_in_memory};

type Unused = usize;

/// One for each part of the library that keeps something.
pub mod state {
    pub const AT_EXIT: &[u8] = b"what is called at exit";
    pub const AT_QUICK_EXIT: &[u8] = b"what is called at quick_exit";
    pub const AT_FORK: &[u8] = b"what is called around fork";
    pub const RANDOM: &[u8] = b"the state of random";
    pub const RANDOM_48: &[u8] = b"the state of drand48";
    pub const LOCALE: &[u8] = b"the locale";
    pub const TOKENS: &[u8] = b"the state of strtok";
    pub const DATES: &[u8] = b"the date of localtime";
    pub const OPTIONS: &[u8] = b"the state of getopt";
    pub const USERS: &[u8] = b"the state of getpwent";
    pub const GROUPS: &[u8] = b"the state of getgrent";
    pub const SHELLS: &[u8] = b"the state of getusershell";
    pub const HOSTS: &[u8] = b"the state of gethostent";
    pub const SERVICES: &[u8] = b"the state of getservent";
    pub const PROTOCOLS: &[u8] = b"the state of getprotoent";
    pub const NETWORKS: &[u8] = b"the state of getnetent";
    pub const MOUNTS: &[u8] = b"the state of getmntent";
    pub const TABLE: &[u8] = b"the table of hsearch";
    pub const SHIFT: &[u8] = b"the shift state of wide characters";
    pub const LOG: &[u8] = b"the state of syslog";
    pub const TEXTS: &[u8] = b"the text of l64a";
    pub const TERMINALS: &[u8] = b"the name of ttyname";
    pub const NAMES: &[u8] = b"the names of tmpnam";
    pub const ZONE: &[u8] = b"the time zone";
    pub const ATTRIBUTES: &[u8] = b"the attributes of the process";
    pub const BREAK: &[u8] = b"the end of the data";
    pub const DOMAIN: &[u8] = b"the domain of gettext";
    pub const EXPRESSION: &[u8] = b"the expression of re_comp";
    pub const CONCURRENCY: &[u8] = b"the level of concurrency";
    pub const DEFAULTS: &[u8] = b"the default attributes of threads";
    pub const SHADOWS: &[u8] = b"the state of getspent";
    pub const LOGINS: &[u8] = b"the state of getutent";
    pub const FILE_SYSTEMS: &[u8] = b"the state of getfsent";
    pub const NETGROUPS: &[u8] = b"the state of getnetgrent";
    pub const ALIASES: &[u8] = b"the state of getaliasent";
    pub const RPC: &[u8] = b"the state of getrpcent";
    pub const ETHERNET: &[u8] = b"the address of ether_aton";
    pub const LIBRARIES: &[u8] = b"the libraries that are loaded";
    pub const KEYS: &[u8] = b"the keys of thread-specific data";
}

/// Announces a look at a state, or a change.
pub fn uses(state: &[u8], is_write: bool, place: u64) {
    step_in_memory(place, |uses| match of_process(state) {
        Some(used) if is_write => uses.writes(used),
        Some(used) => uses.reads(used),
        None => {}
    });
}

/// The same for a function that also looks at the variables, in one step.
pub fn uses_with_variables(state: &[u8], is_write: bool, place: u64) {
    step_in_memory(place, |uses| {
        let (Some(used), Some(variables)) = (of_process(state), of_process(VARIABLES)) else { return };
        uses.reads(variables);
        if is_write {
            uses.writes(used);
        } else {
            uses.reads(used);
        }
    });
}

/// Functions that change a state; those after `;` only look at it. Each is called with the registers it was called with.
macro_rules! keeping {
    ($($state:ident: $($writer:ident $real_writer:literal)* ; $($reader:ident $real_reader:literal)*;)*) => {
        $($(keeping!(one $state true $writer $real_writer);)* $(keeping!(one $state false $reader $real_reader);)*)*
    };
    (one $state:ident $is_write:literal $name:ident $real:literal) => {
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> usize {
            uses(state::$state, $is_write, caller());
            real!($real: fn(usize, usize, usize, usize, usize, usize) -> usize, (a, b, c, d, e, f))
        }
    };
}

keeping! {
    RANDOM: rand c"rand" srand c"srand" random c"random" srandom c"srandom" initstate c"initstate" setstate c"setstate";;
    RANDOM_48: lrand48 c"lrand48" mrand48 c"mrand48" srand48 c"srand48" seed48 c"seed48" lcong48 c"lcong48";
        nrand48 c"nrand48" jrand48 c"jrand48";
    LOCALE: ; localeconv c"localeconv" nl_langinfo c"nl_langinfo" __ctype_get_mb_cur_max c"__ctype_get_mb_cur_max"
        strcoll c"strcoll" strxfrm c"strxfrm" mbstowcs c"mbstowcs" wcstombs c"wcstombs" btowc c"btowc" wctob c"wctob"
        wcscoll c"wcscoll" wcsxfrm c"wcsxfrm";
    ZONE: tzset c"tzset";;
    USERS: getpwent c"getpwent" setpwent c"setpwent" endpwent c"endpwent" getpwnam c"getpwnam" getpwuid c"getpwuid"
        fgetpwent c"fgetpwent" getpwent_r c"getpwent_r";;
    GROUPS: getgrent c"getgrent" setgrent c"setgrent" endgrent c"endgrent" getgrnam c"getgrnam" getgrgid c"getgrgid"
        fgetgrent c"fgetgrent" getgrent_r c"getgrent_r";;
    SHELLS: getusershell c"getusershell" setusershell c"setusershell" endusershell c"endusershell";;
    HOSTS: gethostent c"gethostent" sethostent c"sethostent" endhostent c"endhostent" gethostbyname c"gethostbyname"
        gethostbyname2 c"gethostbyname2" gethostbyaddr c"gethostbyaddr";;
    SERVICES: getservent c"getservent" setservent c"setservent" endservent c"endservent" getservbyname c"getservbyname"
        getservbyport c"getservbyport";;
    PROTOCOLS: getprotoent c"getprotoent" setprotoent c"setprotoent" endprotoent c"endprotoent"
        getprotobyname c"getprotobyname" getprotobynumber c"getprotobynumber";;
    NETWORKS: getnetent c"getnetent" setnetent c"setnetent" endnetent c"endnetent" getnetbyname c"getnetbyname"
        getnetbyaddr c"getnetbyaddr";;
    MOUNTS: getmntent c"getmntent";;
    TABLE: hcreate c"hcreate" hdestroy c"hdestroy" hsearch c"hsearch";;
    LOG: openlog c"openlog" closelog c"closelog" setlogmask c"setlogmask";;
    TEXTS: l64a c"l64a";;
    EXPRESSION: re_comp c"re_comp"; re_exec c"re_exec";
    CONCURRENCY: pthread_setconcurrency c"pthread_setconcurrency";
        pthread_getconcurrency c"pthread_getconcurrency";
    DEFAULTS: pthread_setattr_default_np c"pthread_setattr_default_np";
        pthread_getattr_default_np c"pthread_getattr_default_np";
    DOMAIN: ; gettext c"gettext" dgettext c"dgettext" dcgettext c"dcgettext" ngettext c"ngettext"
        dngettext c"dngettext" dcngettext c"dcngettext";
    SHADOWS: getspent c"getspent" setspent c"setspent" endspent c"endspent" getspnam c"getspnam"
        fgetspent c"fgetspent" sgetspent c"sgetspent" getspent_r c"getspent_r";;
    LOGINS: getutent c"getutent" getutid c"getutid" getutline c"getutline" setutent c"setutent"
        endutent c"endutent" pututline c"pututline" utmpname c"utmpname" getutxent c"getutxent"
        getutxid c"getutxid" getutxline c"getutxline" setutxent c"setutxent" endutxent c"endutxent"
        pututxline c"pututxline" getlogin c"getlogin";;
    FILE_SYSTEMS: getfsent c"getfsent" getfsspec c"getfsspec" getfsfile c"getfsfile" setfsent c"setfsent"
        endfsent c"endfsent";;
    NETGROUPS: setnetgrent c"setnetgrent" getnetgrent c"getnetgrent" getnetgrent_r c"getnetgrent_r"
        endnetgrent c"endnetgrent";;
    ALIASES: setaliasent c"setaliasent" getaliasent c"getaliasent" endaliasent c"endaliasent"
        getaliasbyname c"getaliasbyname";;
    RPC: setrpcent c"setrpcent" getrpcent c"getrpcent" endrpcent c"endrpcent" getrpcbyname c"getrpcbyname"
        getrpcbynumber c"getrpcbynumber";;
    ETHERNET: ether_aton c"ether_aton" ether_ntoa c"ether_ntoa";;
    TERMINALS: ttyname c"ttyname" ptsname c"ptsname";;
}

/// What they do depends on `POSIXLY_CORRECT`.
macro_rules! options {
    ($($name:ident $real:literal;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(count: i32, arguments: usize, short: usize, long: usize, index: usize) -> i32 {
            uses_with_variables(state::OPTIONS, true, caller());
            real!($real: fn(i32, usize, usize, usize, usize) -> i32, (count, arguments, short, long, index))
        })*
    };
}

options! {
    getopt c"getopt";
    getopt_long c"getopt_long";
    getopt_long_only c"getopt_long_only";
}

#[unsafe(no_mangle)]
pub extern "C" fn wordexp(words: usize, result: usize, flags: i32) -> i32 {
    uses(VARIABLES, false, caller());
    real!(c"wordexp": fn(usize, usize, i32) -> i32, (words, result, flags))
}

/// Which libraries are loaded; the real function looks at who calls it.
extern "C" fn loads(_: Unused, flags: usize, _: Unused, _: Unused, _: Unused, frame: Frame) {
    const RTLD_NOLOAD: usize = 4;
    uses(state::LIBRARIES, flags & RTLD_NOLOAD == 0, place_of(frame));
}

announced! {
    dlopen => loads;
}

/// The names of the locales are those of variables.
fn is_from_variables(locale: usize) -> bool {
    // SAFETY: the program passes a text, or none.
    locale != 0 && unsafe { *(locale as *const u8) } == 0
}

/// Asked for nothing, it only looks.
#[unsafe(no_mangle)]
pub extern "C" fn setlocale(category: i32, locale: usize) -> usize {
    if locale != 0 {
        marks(state::LOCALE);
    }
    if is_from_variables(locale) {
        uses_with_variables(state::LOCALE, true, caller());
    } else {
        uses(state::LOCALE, locale != 0, caller());
    }
    real!(c"setlocale": fn(i32, usize) -> usize, (category, locale))
}

#[unsafe(no_mangle)]
pub extern "C" fn newlocale(categories: i32, locale: usize, base: usize) -> usize {
    if is_from_variables(locale) {
        uses(VARIABLES, false, caller());
    }
    real!(c"newlocale": fn(i32, usize, usize) -> usize, (categories, locale, base))
}

/// Asked for nothing, it only looks.
#[unsafe(no_mangle)]
pub extern "C" fn textdomain(domain: usize) -> usize {
    uses(state::DOMAIN, domain != 0, caller());
    real!(c"textdomain": fn(usize) -> usize, (domain))
}

/// What is bound to a domain; asked for nothing, they only look.
macro_rules! bindings {
    ($($name:ident $real:literal;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(domain: usize, bound: usize) -> usize {
            uses(state::DOMAIN, bound != 0, caller());
            real!($real: fn(usize, usize) -> usize, (domain, bound))
        })*
    };
}

bindings! {
    bindtextdomain c"bindtextdomain";
    bind_textdomain_codeset c"bind_textdomain_codeset";
}

/// With a state of its own nothing is shared.
macro_rules! wide {
    ($($name:ident $real:literal shares $shares:expr;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(a: usize, b: usize, c: usize, d: usize, e: usize) -> usize {
            let shares: fn([usize; 5]) -> bool = $shares;
            locale::is_used(caller());
            if shares([a, b, c, d, e]) {
                uses(state::SHIFT, true, caller());
            }
            real!($real: fn(usize, usize, usize, usize, usize) -> usize, (a, b, c, d, e))
        })*
    };
}

wide! {
    mblen c"mblen" shares |_| true;
    mbtowc c"mbtowc" shares |_| true;
    wctomb c"wctomb" shares |_| true;
    mbrlen c"mbrlen" shares |call| call[2] == 0;
    mbrtowc c"mbrtowc" shares |call| call[3] == 0;
    wcrtomb c"wcrtomb" shares |call| call[2] == 0;
    mbsrtowcs c"mbsrtowcs" shares |call| call[3] == 0;
    wcsrtombs c"wcsrtombs" shares |call| call[3] == 0;
}

#[unsafe(no_mangle)]
pub extern "C" fn drand48() -> f64 {
    uses(state::RANDOM_48, true, caller());
    real!(c"drand48": fn() -> f64, ())
}

/// The state is the program's; what is done to it is not.
#[unsafe(no_mangle)]
pub extern "C" fn erand48(state: *mut c_void) -> f64 {
    uses(state::RANDOM_48, false, caller());
    real!(c"erand48": fn(*mut c_void) -> f64, (state))
}

/// Asked for no change, it only looks.
#[unsafe(no_mangle)]
pub extern "C" fn sbrk(change: isize) -> usize {
    uses(state::BREAK, change != 0, caller());
    if change > 0 {
        needs_memory(caller());
    }
    real!(c"sbrk": fn(isize) -> usize, (change))
}

#[unsafe(no_mangle)]
pub extern "C" fn brk(end: usize) -> i32 {
    uses(state::BREAK, true, caller());
    needs_memory(caller());
    real!(c"brk": fn(usize) -> i32, (end))
}

/// Functions that write a number as a text to memory of their own.
macro_rules! digits {
    ($($name:ident $real:literal;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(value: f64, count: i32, point: *mut i32, sign: *mut i32) -> usize {
            uses(state::TEXTS, true, caller());
            real!($real: fn(f64, i32, *mut i32, *mut i32) -> usize, (value, count, point, sign))
        })*
    };
}

digits! {
    ecvt c"ecvt";
    fcvt c"fcvt";
}
