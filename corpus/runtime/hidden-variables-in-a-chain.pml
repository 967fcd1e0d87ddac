// S2: a hidden variable is read through two others.
//! verdict assertions violated
//! verdict deadlock holds
hidden byte h, g, f;
active proctype A() { do :: h < 2 -> h++ :: g = h :: f = g :: assert(f < 2) od }
