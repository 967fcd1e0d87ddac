// The same name in two blocks is two variables, both in the state.
//! rule 1.2
//! plain 7/0/7/0/6 ok
byte x;
active proctype A() { { byte k = 3; x = k }; { byte k; x = k }; assert(x == 0) }
