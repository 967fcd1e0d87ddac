// The words true, false and skip are the numbers 1, 0 and 1.
//! rule 1.1
//! plain 8/0/8/0/7 ok
int x;
active proctype A() { x = true + true; assert(x == 2); x = false; assert(x == 0); skip; true }
