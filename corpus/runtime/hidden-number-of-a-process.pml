// S2: a hidden variable says which process is looked at.
//! verdict assertions violated
//! verdict deadlock holds
hidden byte h;
byte x;
active proctype A() { h = 1; assert(!(B[h]@M)) }
active proctype B() { M: x = 1 }
