// A selection without an executable option inside a d_step.
//! rule 2.4
//! differs pan ends the whole search
//! verdict assertions violated
byte x;
active proctype A() { d_step { x = 1; if :: x == 2 :: x == 3 fi } }
