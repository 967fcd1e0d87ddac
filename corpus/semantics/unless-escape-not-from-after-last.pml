// After the last statement of the main part the escape is no longer possible.
//! rule 2.7
//! plain 14/5/19/0/7 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x, e;
active proctype A() { { x = 1 } unless { e == 1 -> x = 9 }; x == 1; x = 2 }
active proctype B() { x == 1; e = 1 }
