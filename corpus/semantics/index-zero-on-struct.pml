// The index 0 on a struct that is no array means the struct.
//! rule 10 row 10
//! plain 25/10/35/0/7 ok
typedef T { byte f; byte g[2] };
T t;
byte x;
active proctype A() { t[0].f = 3; t.g[1] = 2; x = t[0].f + t[0].g[1]; assert(x == 5) }
active proctype B() { t[0].g[0] = t.f }
