// An ltl formula does not change the plain count.
//! rule 3.4
//! plain 6/1/7/0/5 ok
byte x;
active proctype A() { do :: x < 2 -> x++ :: else -> x = 0 od }
ltl small { [] (x < 3) }
