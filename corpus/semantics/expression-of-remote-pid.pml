// A remote reference to a process that is gone is false.
//! rule 1.4
//! plain 23/9/32/0/7 ok
byte x;
active proctype A() { skip; here: skip }
active proctype B() { x = 1; if :: A[0]@here -> x = 2 :: else -> x = 3 fi }
