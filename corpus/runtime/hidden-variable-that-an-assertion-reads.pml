// S2: B can see 2 in `h`, if C moves between the two. Spin finds no error.
//! rule 2.23
//! verdict assertions violated
hidden byte h;
byte x;
active proctype A() { h = 1; x = 1 }
active proctype B() { x == 1; x = 0; assert(h == 1) }
active proctype C() { h = 2 }
