// A typedef may have arrays and other typedefs in it.
//! rule 1.2
//! plain 6/0/6/0/5 ok
typedef In { byte v[2]; bit b };
typedef Out { In in[2]; short s };
Out o[2];
active proctype A() { o[1].in[0].v[1] = 4; o[1].in[1].v[0] = o[1].in[0].v[1] + 1; o[0].s--; assert(o[1].in[1].v[0] == 5 && o[0].s == -1 && o[0].in[0].v[1] == 0) }
