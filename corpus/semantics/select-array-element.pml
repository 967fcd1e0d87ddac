// A select into an array element.
//! rule g
//! plain 7/0/7/0/3 ok
byte a[2];
active proctype A() { byte i = 1; select (i : 0 .. 1); a[i] = 1 }
