// A declaration after a skip reads the variables of that moment.
//! rule 1.2
//! plain 8/0/8/1/8 ok
byte g = 1;
proctype P() { byte a = g; skip; byte b = g; assert(a == 1); assert(b == 2) }
init { atomic { run P(); g = 2 } }
