// S2: an atomic sequence that waits in its middle, while another process writes its hidden temporary.
//! verdict assertions violated
//! verdict deadlock holds
hidden byte h;
byte x, go;
active proctype A() { atomic { h = 3; go == 1; x = h + 1 }; assert(x == 4) }
active proctype B() { atomic { h = 7; go = 1 } }
