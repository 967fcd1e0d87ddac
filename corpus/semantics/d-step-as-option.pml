// A d_step that is first in an option gives its first statement as guard, beside an else.
//! rule 2.4
//! plain 6/0/6/0/5 ok
byte x;
active proctype A() { do :: d_step { x < 2 -> x++; x++ } :: d_step { x == 2 -> x = 7 } :: else -> break od; assert(x == 7) }
