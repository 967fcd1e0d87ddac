// A character constant is its code.
//! rule 1.1
//! plain 8/0/8/0/7 ok
byte x;
active proctype A() { x = 'a'; assert(x == 97); x = '\n'; assert(x == 10); x = '\t'; assert(x == 9) }
