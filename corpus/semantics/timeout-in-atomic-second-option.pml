// A timeout option inside an atomic whose other option is blocked.
//! rule 2.6
//! plain 8/2/10/6/8 ok
byte x, y;
active proctype A() { atomic { x = 1; if :: y == 2 -> x = 2 :: timeout -> x = 3 fi; x++ } }
active proctype B() { y = 1 }
