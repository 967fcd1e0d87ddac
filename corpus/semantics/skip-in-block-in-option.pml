// Skips in a block in an option.
//! rule e
//! plain 7/0/7/0/6 ok
byte x;
active proctype A() { if :: { skip; skip; skip; skip }; x = 1 fi }
