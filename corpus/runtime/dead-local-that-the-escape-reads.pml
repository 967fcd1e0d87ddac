// A local that only the escape reads, at any time.
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A() { byte v; { v = 1; v = 2; x == 9 } unless { x == 1; assert(v != 2) } }
active proctype B() { x = 1 }
