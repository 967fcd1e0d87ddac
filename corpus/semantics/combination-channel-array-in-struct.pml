// An array of channels indexed by an expression as target of send and receive.
//! rule 1.2
//! plain 7/0/7/0/6 ok
chan c[2] = [1] of { byte };
byte i;
active proctype A() { c[1 - i]!7; i = 1; byte v; c[i]?v; assert(v == 7) }
