// A break in an escape leaves the loop around it.
//! rule 2.7
//! plain 34/11/45/0/12 ok
byte x, e;
active proctype A() { do :: { x < 3 -> x++; x++ } unless { e == 1 -> break } od; e = 2 }
active proctype B() { x >= 2 -> e = 1 }
