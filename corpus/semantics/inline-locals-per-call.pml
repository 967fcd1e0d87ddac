// Each call of an inline has locals of its own.
//! rule 1.1
//! plain 9/0/9/0/8 ok
byte x;
inline keep(v) { byte t = v; x = x + t }
active proctype A() { keep(1); keep(2); keep(3); assert(x == 6) }
