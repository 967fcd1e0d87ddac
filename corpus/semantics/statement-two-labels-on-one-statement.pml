// A statement may have two labels.
//! rule 1.3
//! plain 8/0/8/0/7 ok
byte x;
active proctype A() { L: M: x++; if :: x == 1 -> goto L :: x == 2 -> goto M :: else fi }
