// A labelled skip in an option.
//! rule e
//! plain 11/0/11/0/10 ok
byte x;
active proctype A() { if :: skip; skip; L: skip; skip; x++ fi; if :: x == 1 -> goto L :: else fi }
