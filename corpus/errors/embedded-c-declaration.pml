// A declaration in C.
//! rule 8
//! error 4
c_decl { typedef struct { int a; } S; }
active proctype A() { skip }
