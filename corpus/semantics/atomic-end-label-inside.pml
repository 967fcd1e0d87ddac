// An end label inside an atomic makes waiting there valid.
//! rule 2.11
//! plain 2/0/2/1/1 ok
byte x;
active proctype A() { atomic { x = 1; end: x == 5; x = 2 } }
