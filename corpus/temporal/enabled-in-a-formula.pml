// A formula may ask who can move.
//! verdict p holds
//! verdict q violated
byte x;
active proctype A() { x == 1 -> x = 2 }
active proctype B() { x = 1 }
ltl p { [] ((x == 1) -> enabled(0)) }
ltl q { [] enabled(0) }
