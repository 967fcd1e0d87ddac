// An atomic around a loop that ends stores nothing in between.
//! rule 2.2
//! plain 13/6/19/32/14 ok
byte x, y;
active proctype A() { atomic { do :: x < 3 -> x++ :: else -> break od }; x = 0 }
active proctype B() { y = 1; assert(x == 0 || x == 3) }
