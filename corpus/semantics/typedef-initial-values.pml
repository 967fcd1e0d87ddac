// Fields of a typedef may have initial values.
//! rule 1.2
//! plain 4/0/4/0/3 ok
typedef T { byte a = 3; byte b };
T t;
active proctype A() { T u; assert(t.a == 3 && t.b == 0); assert(u.a == 3) }
