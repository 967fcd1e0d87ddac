// A receive from a channel that was never initialised.
//! rule 2.15
//! differs pan goes on as if the statement were not executable
//! verdict assertions violated
chan c;
byte x;
active proctype A() { c?x }
