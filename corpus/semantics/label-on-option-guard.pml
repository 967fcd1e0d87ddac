// A jump to a label on the guard of an option lands on that guard alone, not on the loop.
//! rule 1.3
//! plain 6/0/6/0/5 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x;
active proctype A() { x = 1; do :: L: x == 1 -> x = 2 :: x == 2 -> x = 3; goto L :: x == 3 -> break od }
