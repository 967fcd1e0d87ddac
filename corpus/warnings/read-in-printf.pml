// A variable that is read only by printf is read.
//! rule 3.3
byte x;
active proctype A() { x = 1; printf("%d\n", x) }
