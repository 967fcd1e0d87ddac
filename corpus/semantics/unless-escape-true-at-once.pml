// An escape that is executable from the start: the main part never moves.
//! rule 2.7
//! plain 5/0/5/0/4 ok
byte x;
active proctype A() { { x = 1 } unless { true -> x = 2 }; assert(x == 2) }
