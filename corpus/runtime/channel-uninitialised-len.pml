// The length of a channel that was never initialised.
//! rule 2.15
//! differs pan goes on behind the error
//! verdict assertions violated
chan c;
byte x;
active proctype A() { x = len(c) }
