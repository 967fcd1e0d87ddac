// A break out of an atomic ends atomicity.
//! rule 2.2
//! plain 10/4/14/6/7 ok
byte x;
active proctype A() { do :: atomic { x = 1; x = 2; break } od; x = 3 }
active proctype B() { assert(x != 1) }
