// S2: whether a d_step can be executed depends on a hidden variable.
//! verdict assertions violated
//! verdict deadlock holds
hidden byte h;
byte x;
active proctype A() { do :: h < 2 -> h++ :: d_step { h == 2 -> x = 1 }; break od; assert(x == 0) }
