// A d_step that blocks only in one interleaving.
//! rule 2.4
//! differs pan ends the whole search
//! verdict assertions violated
byte x, y;
active proctype A() { d_step { x = 1; y == 0; x = 2 } }
active proctype B() { y = 1 }
