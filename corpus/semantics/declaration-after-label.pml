// A labelled statement ends the prefix.
//! rule 1.2
//! plain 5/0/5/0/4 ok
byte g = 1;
active proctype P() { byte a = g; L: g++; byte b = g; assert(a == 1 && b == 2) }
