// A reduction must not lose the loop that comes after the visible step.
//! verdict p violated
//! weak p violated
byte x, y;
active proctype A() { byte l; do :: l = 1 - l :: break od; y = 1 }
active proctype B() { x = 1 }
ltl p { [] ((x == 1) -> <> (y == 1)) }
