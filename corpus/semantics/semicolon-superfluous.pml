// Doubled separators, a separator before a closing brace and else without an arrow are accepted.
//! rule 1.1
//! plain 7/0/7/0/6 ok
byte x;
active proctype A() { x = 1;; x = 2; if :: x == 2 -> x = 3; :: else x = 4; fi; ; x = 5; };
