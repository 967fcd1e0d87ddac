// States that differ only in a hidden variable are the same state.
//! rule 2.23
//! plain 5/1/6/0/4 ok
hidden byte h;
byte x;
active proctype A() { if :: h = 1 :: h = 2 fi; x = 1; skip }
