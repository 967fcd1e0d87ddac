// A break from a loop inside the atomic stays atomic.
//! rule 2.2
//! plain 7/2/9/6/6 ok
byte x;
active proctype A() { atomic { do :: x = 1; break od; x = 2; x = 3 } }
active proctype B() { assert(x == 0 || x == 3) }
