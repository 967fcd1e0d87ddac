// A goto back within an atomic makes a loop that stays atomic.
//! rule 2.2
//! plain 7/2/9/24/12 ok
byte x;
active proctype A() { atomic { skip; L: x++; if :: x < 3 -> goto L :: else fi; x = 9 } }
active proctype B() { assert(x == 0 || x == 9) }
