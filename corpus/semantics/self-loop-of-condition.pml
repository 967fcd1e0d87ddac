// A loop of a condition that holds is a self-loop and no deadlock.
//! rule h
//! plain 1/1/2/0/0 ok
byte x;
active proctype A() { do :: x == 0 od }
active proctype B() { x == 1 }
