// L13: each property gets its own verdict, whatever the others are.
//! verdict assertions violated
//! verdict deadlock violated
//! verdict p violated
//! verdict q holds
//! verdict n violated
byte x;
active proctype A() { x = 1; if :: x == 2 -> skip :: x = 3 fi; assert(x != 3) }
active proctype B() { x == 1 -> skip; x == 4 }
ltl p { [] (x < 3) }
ltl q { <> (x == 1) }
never n { do :: x != 3 :: x == 3 -> break od; x == 3; x == 3; x == 3; x == 3 }
