// A d_step that loops does not hide what another process does.
//! verdict p violated
byte x;
active proctype A() { byte l; do :: d_step { l = 1; l = 0 } od }
active proctype B() { x = 1; x = 2 }
ltl p { [] (x != 2) }
