// An atomic that is nothing but a selection.
//! rule d
//! plain 5/1/6/2/4 ok
byte x;
active proctype A() { atomic { if :: x = 1 :: x = 2 fi }; x = 3 }
