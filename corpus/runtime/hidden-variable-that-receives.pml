// S2: a message is received into a hidden variable that is read later.
//! verdict assertions violated
//! verdict deadlock holds
hidden byte h;
chan q = [2] of { byte };
active proctype A() { q!1; q!2; q?h; q?h; assert(h != 2) }
