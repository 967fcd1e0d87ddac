// A rendezvous send inside a d_step.
//! rule 2.4
//! differs pan ends the whole search
//! verdict assertions violated
chan c = [0] of { byte };
byte x;
active proctype A() { d_step { x = 1; c!1 } }
active proctype B() { byte v; end: c?v }
