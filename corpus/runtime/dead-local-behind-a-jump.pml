// A local that is dead on the way straight on and alive on the way back.
//! verdict assertions violated
//! verdict deadlock holds
byte n;
active proctype A() { byte v; S: v = v + 1; n = 1; if :: n = 0; goto S :: v < 3 -> v = 0 :: v == 3 -> assert(false) fi }
