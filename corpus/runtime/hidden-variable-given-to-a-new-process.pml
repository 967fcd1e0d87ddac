// S2: a hidden variable is read where a process is started with it.
//! verdict assertions violated
hidden byte h;
proctype C(byte v) { assert(v < 2) }
active proctype A() { do :: h < 2 -> h++ :: h == 2 -> run C(h); break od }
