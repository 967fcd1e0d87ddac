// A loop outside any block: the jump back lands on the state the loop was entered in.
//! rule c2
//! plain 10/2/12/0/8 ok
byte x;
active proctype A() { x = 1; do :: x < 3 -> x++ :: x > 1 -> x = 0 od }
