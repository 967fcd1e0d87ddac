// S2: a hidden variable is compared with the first message of a channel.
//! verdict assertions violated
hidden byte h;
chan q = [1] of { byte };
active proctype A() { q!2; do :: h < 2 -> h++ :: q?[eval(h)] -> assert(false) od }
