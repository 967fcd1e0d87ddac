// S2: only an element of a hidden array tells the rounds apart.
//! verdict assertions violated
//! verdict deadlock holds
hidden byte h[2];
active proctype A() { do :: h[1] < 2 -> h[1]++ :: h[1] == 2 -> assert(false) od }
