// An inline argument is put in as text, so it may be assigned to, and is evaluated where it stands.
//! rule 1.1
//! plain 5/0/5/0/4 ok
byte a[3];
byte i;
inline put(target, value) { i = 2; target = value }
active proctype A() { put(a[i], i + 5); assert(a[2] == 7 && a[0] == 0) }
