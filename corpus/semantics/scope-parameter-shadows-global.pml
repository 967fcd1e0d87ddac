// A parameter shadows a global of the same name.
//! rule 1.2
//! differs Spin 6.5.2 rejects every shadowing as a redeclaration; the tuple is that of the model with the parameter renamed
//! plain 10/3/13/0/6 ok
byte x;
proctype P(byte x) { x++; assert(x == 4) }
init { run P(3); assert(x == 0) }
