// A local that its own process does not read any more is read by another one.
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A() { byte v; v = 2; x = v; L: skip; skip }
active proctype B() { x == 2; assert(!(A@L && A:v == 2)) }
