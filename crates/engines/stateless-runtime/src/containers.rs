//! Parts of the standard containers and texts of C++ that are not in the program but in its library: accesses that no compiler announces.
//!
//! Trees and lists are linked there, and texts changed. What is announced is what the standard counts: a change of a container is a write
//! to it, though it may leave some of its words as they are. Elements are not touched.
//!
//! These functions may throw exceptions, which could not pass a function of ours. So the call is announced first, and then goes on to the
//! library as it came.

use crate::memory::{Frame, range, watched_call};

/// Announces a call with at most five arguments and goes on with the function of the library.
macro_rules! announced {
    ($($name:ident => $function:expr;)*) => {
        $(#[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            extern "C" fn library() -> usize {
                const NAME: &str = concat!(stringify!($name), "\0");
                static ADDRESS: core::sync::atomic::AtomicUsize = core::sync::atomic::AtomicUsize::new(0);
                $crate::real::find_once(&ADDRESS, NAME)
            }
            core::arch::naked_asm!(
                "push rbp",
                "push rbx",
                "push r12",
                "push r13",
                "push r14",
                "push r15",
                "mov rax, rsp",
                "push rdi",
                "push rsi",
                "push rdx",
                "push rcx",
                "push r8",
                "mov r9, rax",
                "call {function}",
                "call {library}",
                "pop r8",
                "pop rcx",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                "add rsp, 48",
                "jmp rax",
                function = sym $function,
                library = sym library,
            )
        })*
    };
}
pub(crate) use announced;

type Unused = usize;

/// A node of a tree: its colour, and three links. The header of a tree is one, too.
const NODE: usize = 32;
const LINKS: usize = 8;
const LEFT: usize = 16;
const RIGHT: usize = 24;

/// A node of a list: next, previous.
const PREVIOUS: usize = 8;

/// Pointer and length of a text.
const TEXT: usize = 16;

fn links_change(node: usize, frame: Frame) {
    range(node + LINKS, NODE - LINKS, true, frame);
}

extern "C" fn insert(to_the_left: usize, node: usize, parent: usize, header: usize, _: Unused, frame: Frame) {
    if !watched_call() {
        return;
    }
    range(node, NODE, true, frame);
    if parent != header {
        range(parent + if to_the_left as u8 != 0 { LEFT } else { RIGHT }, 8, true, frame);
    }
    links_change(header, frame);
}

extern "C" fn erase(node: usize, header: usize, _: Unused, _: Unused, _: Unused, frame: Frame) {
    if watched_call() {
        links_change(node, frame);
        links_change(header, frame);
    }
}

extern "C" fn step(node: usize, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) {
    if watched_call() {
        range(node + LINKS, NODE - LINKS, false, frame);
    }
}

/// A link of a node of a list.
fn link(node: usize, at: usize) -> usize {
    // SAFETY: the program passes a node, which the library is about to read.
    unsafe { *((node + at) as *const usize) }
}

extern "C" fn hook(node: usize, before: usize, _: Unused, _: Unused, _: Unused, frame: Frame) {
    if watched_call() {
        range(node, 2 * PREVIOUS, true, frame);
        range(before + PREVIOUS, 8, true, frame);
        range(link(before, PREVIOUS), 8, true, frame);
    }
}

extern "C" fn unhook(node: usize, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) {
    if watched_call() {
        range(node, 2 * PREVIOUS, false, frame);
        range(link(node, 0) + PREVIOUS, 8, true, frame);
        range(link(node, PREVIOUS), 8, true, frame);
    }
}

extern "C" fn text_changes(text: usize, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) {
    if watched_call() {
        range(text, TEXT, true, frame);
    }
}

extern "C" fn text_is_read(text: usize, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) {
    if watched_call() {
        range(text, TEXT, false, frame);
    }
}

extern "C" fn text_is_assigned(text: usize, other: usize, _: Unused, _: Unused, _: Unused, frame: Frame) {
    if watched_call() {
        range(other, TEXT, false, frame);
        range(text, TEXT, true, frame);
    }
}

extern "C" fn texts_are_read(first: usize, second: usize, _: Unused, _: Unused, _: Unused, frame: Frame) {
    if watched_call() {
        range(first, TEXT, false, frame);
        range(second, TEXT, false, frame);
    }
}

// Names as compilers for Linux encode them. Those of `std::string` are called where nothing is inlined, too.
announced! {
    _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_ => insert;
    _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_ => erase;
    _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base => step;
    _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base => step;
    _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base => step;
    _ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base => step;
    _ZNSt8__detail15_List_node_base7_M_hookEPS0_ => hook;
    _ZNSt8__detail15_List_node_base9_M_unhookEv => unhook;
    _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm => text_changes;
    _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm => text_changes;
    _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE14_M_replace_auxEmmmc => text_changes;
    _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE8_M_eraseEmm => text_changes;
    _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_mutateEmmPKcm => text_changes;
    _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_assignERKS4_ => text_is_assigned;
    _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6resizeEmc => text_changes;
    _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7reserveEm => text_changes;
    _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9push_backEc => text_changes;
    _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEpLEc => text_changes;
    _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5clearEv => text_changes;
    _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5eraseEmm => text_changes;
    _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEPKc => text_is_read;
    _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareERKS4_ => texts_are_read;
    _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4sizeEv => text_is_read;
    _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6lengthEv => text_is_read;
    _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5emptyEv => text_is_read;
}
