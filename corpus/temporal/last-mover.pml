// `_last` is the process that moved last.
//! verdict p holds
//! verdict q violated
//! weak q holds
//! strong q holds
byte x;
active proctype A() { do :: x = 1 od }
active proctype B() { do :: x = 2 od }
ltl p { [] ((x == 2) -> <> true) }
ltl q { [] <> (_last == 1) }
