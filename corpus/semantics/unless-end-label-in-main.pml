// An end label in the main part of an unless.
//! rule 2.11
//! plain 2/0/2/0/1 ok
chan q = [1] of { byte };
byte e;
active proctype A() { byte v; { v = 1; end: q?v } unless { e == 1 -> v = 2 } }
