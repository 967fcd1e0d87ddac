// The negation of timeout holds while something else can move.
//! rule 2.6
//! plain 13/3/16/0/5 ok
byte x;
active proctype A() { !timeout -> x++ }
active proctype B() { x = 3 }
