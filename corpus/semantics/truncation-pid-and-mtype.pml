// A pid and an mtype variable keep eight bits.
//! rule 1.2
//! plain 10/0/10/0/9 ok
mtype = { red, green };
pid p;
mtype m;
active proctype A() { p = -1; assert(p == 255); p++; assert(p == 0); m = red; assert(m == 2); m = 258; assert(m == red) }
