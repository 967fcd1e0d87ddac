// A name declared in a block shadows the outer one to the end of the block.
//! rule 1.2
byte x = 1;
active proctype A() { byte y = x; { byte x; x = 5; y = x }; assert(x == 1 && y == 5); x = 2; assert(x == 2) }
