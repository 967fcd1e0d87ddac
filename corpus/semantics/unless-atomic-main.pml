// An escape interrupts an atomic main part.
//! rule 2.7
//! plain 5/0/5/2/6 ok
byte x, e;
active proctype A() { { atomic { x = 1; e = 1; x = 2; x = 3 } } unless { e == 1 -> x = 9 }; assert(x == 9) }
