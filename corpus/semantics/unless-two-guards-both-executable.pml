// An escape that is a loop with several executable guards.
//! rule 2.7
//! plain 8/0/8/0/7 ok
byte x, n;
active proctype A() { { x = 1; x = 2 } unless { do :: n < 2 && x == 1 -> n++ :: n == 2 -> break od } }
