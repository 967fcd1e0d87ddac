// A hidden variable keeps its value but is not part of the state.
//! rule 2.23
//! plain 6/0/6/0/5 ok
hidden byte h;
byte x;
active proctype A() { h = 1; h = 2; h = 0; x = h }
