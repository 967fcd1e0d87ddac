// S2: only an element of a field of a hidden struct tells the rounds apart.
//! verdict assertions violated
//! verdict deadlock holds
typedef T { byte a; byte b[2] }
hidden T t;
active proctype A() { do :: t.b[1] < 2 -> t.b[1]++; t.a++ :: t.b[1] == 2 -> assert(false) od }
