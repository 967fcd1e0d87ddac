// A loop of skip beside a process that ends.
//! rule h
//! differs pan refuses it as an unconditional self-loop; the tuple is that of the model with a condition that always holds
//! plain 3/3/6/0/2 ok
byte x;
active proctype A() { do :: skip od }
active proctype B() { x = 1 }
