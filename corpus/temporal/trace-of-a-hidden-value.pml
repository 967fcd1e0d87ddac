// S2: what is sent comes from a hidden variable.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict trace violated
hidden byte h;
chan q = [2] of { byte };
active proctype A() { h = 1; q!h; h = 2; q!h }
trace { q!1; q!1 }
