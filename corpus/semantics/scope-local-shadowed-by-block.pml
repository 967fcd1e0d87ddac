// A variable of a block shadows one of the proctype to the end of the block.
//! rule 1.2
//! differs Spin 6.5.2 rejects every shadowing as a redeclaration; the tuple is that of the model with the inner one renamed
//! plain 6/0/6/0/5 ok
byte y;
active proctype A() { byte x = 1; { byte x; x = 5; y = x }; assert(x == 1 && y == 5) }
