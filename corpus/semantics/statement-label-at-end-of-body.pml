// A label at the end of a body adds a skip before the end.
//! rule 1.3
//! plain 5/0/5/0/4 ok
byte x;
active proctype A() { x = 1; if :: x == 1 -> goto out :: else fi; x = 2; out: }
