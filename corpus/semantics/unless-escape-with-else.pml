// An escape that is a selection with else is always executable.
//! rule 2.7
//! plain 5/0/5/0/4 ok
byte x;
active proctype A() { { x = 1; x = 2 } unless { if :: x == 1 -> x = 8 :: else -> x = 9 fi }; assert(x == 9) }
