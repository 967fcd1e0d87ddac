// An inline may call another.
//! rule 1.1
//! plain 5/0/5/0/4 ok
byte x;
inline add(v, k) { v = v + k }
inline add2(v, k) { add(v, k); add(v, k) }
active proctype A() { add2(x, 3); assert(x == 6) }
