// A label on a block with an unless in it.
//! rule c2
//! plain 35/16/51/0/9 ok
byte x, e;
active proctype A() { L: { { x++; x++ } unless { e == 1 -> x = 9 } }; if :: x < 4 -> goto L :: else fi }
active proctype B() { e = 1 }
