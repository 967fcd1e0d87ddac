// A selection in the middle of an atomic.
//! rule d
//! plain 4/1/5/5/6 ok
byte x;
active proctype A() { atomic { x = 1; if :: x = 2 :: x = 3 fi; x = 4 }; x = 5 }
