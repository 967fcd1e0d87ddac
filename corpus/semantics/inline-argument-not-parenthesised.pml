// An inline argument gets no parentheses around it.
//! rule 1.1
//! plain 4/0/4/0/3 ok
byte x;
inline twice(e) { x = 2 * e }
active proctype A() { twice(1 + 2); assert(x == 4) }
