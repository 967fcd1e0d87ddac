// A negative constant in a receive.
//! rule 1.3
//! plain 4/0/4/0/3 ok
chan q = [2] of { short };
active proctype A() { q!-3; if :: q?3 -> assert(false) :: q?-3 fi }
