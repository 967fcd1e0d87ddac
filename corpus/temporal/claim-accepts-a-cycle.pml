// An accept label of a never claim that is passed again and again.
//! verdict n violated
//! verdict m holds
byte x;
active proctype A() { do :: x < 3 -> x++ :: else -> x = 0 od }
never n { T: if :: x == 2 -> goto accept :: else -> goto T fi; accept: goto T }
never m { T: if :: x == 7 -> goto accept2 :: else -> goto T fi; accept2: goto T }
