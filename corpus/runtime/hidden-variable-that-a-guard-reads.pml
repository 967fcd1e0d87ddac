// S2: states that differ only in a hidden variable are different if a guard or an assertion reads it. Spin finds no error.
//! rule 2.23
//! verdict assertions violated
//! verdict deadlock holds
hidden byte h;
active proctype A() { do :: h < 3 -> h++ :: h == 3 -> assert(false) od }
