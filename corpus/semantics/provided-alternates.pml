// Two processes that switch each other on and off.
//! rule 2.8
//! plain 17/0/17/0/16 ok
bool a = 1;
byte x;
active proctype A() provided (a) { do :: x < 4 -> x++; a = 0 :: x >= 4 -> a = 0; break od }
active proctype B() provided (!a) { do :: x < 4 -> x++; a = 1 :: x >= 4 -> a = 1; break od }
