// A struct in a message is sent and received field by field.
//! rule 1.2
//! plain 9/0/9/0/8 ok
typedef T { byte a; short b };
chan q = [2] of { byte, T };
T t, u;
active proctype A() { t.a = 1; t.b = 2; byte k; q!9,t; t.a = 5; q?k,u; assert(k == 9 && u.a == 1 && u.b == 2) }
