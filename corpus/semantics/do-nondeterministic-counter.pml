// A loop with three options that are all executable.
//! rule 1.3
//! plain 12/3/15/0/7 ok
byte x;
active proctype A() { do :: x < 3 -> x++ :: x > 0 -> x-- :: x == 2 -> break od }
