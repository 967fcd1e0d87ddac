// The arrow separates any two statements.
//! rule 1.1
//! plain 6/0/6/0/5 ok
byte x;
active proctype A() { x = 1 -> x = 2 -> (x == 2) -> x = 3 }
