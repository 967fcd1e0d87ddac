// A struct argument is passed by value.
//! rule 1.2
//! plain 12/3/15/0/8 ok
typedef T { byte a; byte b };
proctype P(T t) { t.a++; assert(t.a == 4 && t.b == 7) }
init { T m; m.a = 3; m.b = 7; run P(m); assert(m.a == 3) }
