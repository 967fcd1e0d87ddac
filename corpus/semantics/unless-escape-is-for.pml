// A for without braces as escape: its first assignment comes before the whole unless.
//! rule 2.7
//! plain 13/0/13/0/10 ok
byte i, e;
active proctype A() { e = 3; e == 9 unless for (i : 1 .. 2) { e++ } }
