// An else in the main part is not taken while the escape is executable.
//! rule 2.7
//! plain 5/0/5/0/4 ok
byte x, e = 1;
active proctype A() { if :: x == 5 -> x = 1 :: else -> x = 2 fi unless { e == 1 -> x = 9 }; assert(x == 9) }
