// A for loop over the indices of an array.
//! rule f
//! plain 14/0/14/0/13 ok
byte a[3] = { 4, 5, 6 };
byte i, s;
active proctype A() { for (i in a) { s = s + a[i] }; assert(s == 15) }
