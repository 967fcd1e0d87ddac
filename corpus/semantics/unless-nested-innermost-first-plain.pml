// With innermost first, the inner escape starts and the outer one still ends it.
//! rule 2.7
//! pan -J
//! options --unless innermost
//! plain 21/7/28/0/6 ok
byte x, e;
active proctype A() { { { x = 1; x = 2 } unless { e == 1 -> x = 7; x = 8 } } unless { e == 1 -> x = 9 } }
active proctype B() { e = 1 }
