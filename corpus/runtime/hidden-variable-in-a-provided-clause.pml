// S2: a hidden variable that only a `provided` clause reads besides the assertion: B cannot move while it is 1.
//! verdict assertions violated
hidden byte h;
active proctype A() { h = 1; h = 2 }
active proctype B() provided (h != 1) { assert(h != 2) }
