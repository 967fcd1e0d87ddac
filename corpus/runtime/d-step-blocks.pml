// A d_step that blocks after its first statement.
//! rule 2.4
//! differs pan ends the whole search
//! verdict assertions violated
byte x;
active proctype A() { d_step { x = 1; x == 2; x = 3 } }
