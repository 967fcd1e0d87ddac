// S2: a hidden variable is the bound of a `for`.
//! verdict assertions violated
//! verdict deadlock holds
hidden byte h = 1;
byte i, n;
active proctype A() { for (i : 1 .. h) { n++ } assert(n < 3) }
active proctype B() { h = 3 }
