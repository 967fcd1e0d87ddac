// S2: a hidden variable is read where it is sent, and by a `provided` clause.
//! rule 2.23
//! verdict assertions violated
hidden byte h;
hidden bool go;
chan q = [1] of { byte };
byte x;
active proctype A() { h = 1; x = 1; h = 2 }
active proctype B() { x == 1; q!h }
active proctype C() { byte v; q?v; go = true; assert(v == 1) }
active proctype D() provided (go) { skip }
