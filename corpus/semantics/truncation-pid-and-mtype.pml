// A pid and an mtype variable keep eight bits.
//! rule 1.2
//! differs an mtype has 16 bits, because a set may have more than 255 names
//! plain 10/0/10/0/9 ok
mtype = { red, green };
pid p;
mtype m;
active proctype A() { p = -1; assert(p == 255); p++; assert(p == 0); m = red; assert(m == 2); m = 65538; assert(m == red) }
