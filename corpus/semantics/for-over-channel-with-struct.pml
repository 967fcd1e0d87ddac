// A for loop over a channel of structs.
//! rule f
//! plain 20/0/20/0/19 ok
typedef T { byte a; byte b };
chan q = [2] of { T };
T t;
byte s;
active proctype A() { t.a = 1; t.b = 2; q!t; t.a = 3; q!t; for (t in q) { s = s + t.a * t.b }; assert(s == 8) }
