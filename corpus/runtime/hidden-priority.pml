// S2: a hidden variable becomes a priority.
//! verdict assertions violated
//! verdict deadlock holds
hidden byte h;
byte y;
active proctype A() priority 2 { h = 5; set_priority(1, h); assert(y == 0) }
active proctype B() priority 1 { y = 1 }
