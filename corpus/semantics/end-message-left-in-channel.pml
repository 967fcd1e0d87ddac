// Messages left in a channel do not make an end state invalid.
//! rule 2.11
//! plain 3/0/3/0/2 ok
chan q = [2] of { byte };
active proctype A() { q!1 }
