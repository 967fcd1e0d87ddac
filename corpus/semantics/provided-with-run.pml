// Processes that are started by run have the provided clause too.
//! rule 2.8
//! plain 7/0/7/0/6 ok
bool ok;
byte x;
proctype P(byte n) provided (ok) { x = x + n }
init { run P(3); assert(x == 0); ok = 1 }
