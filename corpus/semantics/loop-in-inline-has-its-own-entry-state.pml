// An inline call is a block, so a loop in it has an entry state that differs from its loop state.
//! rule c2
//! plain 11/2/13/0/9 ok
byte x;
inline turn() { do :: x < 3 -> x++ :: x > 1 -> x = 0 od }
active proctype A() { x = 1; turn() }
