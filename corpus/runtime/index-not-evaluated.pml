// A bad index on the right of && is not evaluated.
//! rule 2.17
//! plain 4/0/4/0/3 ok
byte a[2], i = 7, x;
active proctype A() { x = (i < 2 && a[i]); assert(x == 0) }
