// Braces around a loop add one control point: entering the block is not the same as looping back.
//! rule c2
//! plain 11/2/13/0/9 ok
byte x;
active proctype A() { x = 1; { do :: x < 3 -> x++ :: x > 1 -> x = 0 od } }
