// Before each statement of the main part the escape is tried, with absolute priority.
//! rule 2.7
//! plain 22/8/30/0/6 ok
byte x, e;
active proctype A() { { x = 1; x = 2; x = 3 } unless { (e == 1) -> x = 9 } }
active proctype B() { e = 1 }
