// A loop that does nothing but skip.
//! rule h
//! differs pan refuses it as an unconditional self-loop
//! plain 1/1/2/0/0 ok
active proctype A() { do :: skip od }
