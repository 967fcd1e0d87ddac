// The guard of the escape is a step of its own, then the rest of the escape runs.
//! rule 2.7
//! plain 7/0/7/0/6 ok
byte x;
active proctype A() { { x = 1; x = 2 } unless { x == 1 -> x = 5; x = 6 }; x = 9 }
