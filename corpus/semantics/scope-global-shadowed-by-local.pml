// A local shadows a global of the same name.
//! rule 1.2
//! differs Spin 6.5.2 rejects every shadowing as a redeclaration; the tuple is that of the model with the local renamed
//! plain 13/6/19/0/6 ok
byte x = 1, y;
active proctype A() { byte x; x = 5; y = x; assert(y == 5) }
active proctype B() { assert(x == 1) }
