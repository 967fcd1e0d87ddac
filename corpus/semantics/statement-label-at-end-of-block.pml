// A label at the end of a block adds a skip.
//! rule 1.3
//! plain 6/0/6/0/5 ok
byte x;
active proctype A() { { x = 1; if :: x == 1 -> goto out :: else fi; x = 2; out: }; x = 3 }
