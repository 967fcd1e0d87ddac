// S2: an element of a hidden array is read as an index, a field of a hidden struct on the right-hand side.
//! rule 2.23
//! verdict assertions violated
typedef T { byte a; byte b }
hidden byte h[2];
hidden T t;
byte x[3];
byte y;
active proctype A() { h[1] = 1; t.b = 2; y = 1; h[1] = 2; t.b = 1 }
active proctype B() { y == 1; x[h[1]] = t.b; assert(x[1] != 1 || x[2] != 0) ; assert(x[2] == 0) }
