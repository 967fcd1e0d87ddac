// An unless is transparent: control sits at the first statement of its main part.
//! rule c2
//! plain 10/2/12/0/8 ok
byte x, e;
active proctype A() { x = 1; { do :: x < 3 -> x++ :: x > 1 -> x = 0 od } unless { e == 1 } }
