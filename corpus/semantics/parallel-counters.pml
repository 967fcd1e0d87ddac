// Two processes with two steps each: all interleavings.
//! rule 3.2
//! plain 13/6/19/0/6 ok
byte a, b;
active proctype A() { a = 1; a = 2 }
active proctype B() { b = 1; b = 2 }
