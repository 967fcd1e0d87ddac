// A process that could always move may be left out for ever, but not by a fair scheduler.
//! verdict p violated
//! verdict q violated
//! weak p holds
//! weak q violated
//! strong p holds
//! strong q violated
bit a, b;
active proctype A() { do :: a = !a od }
active proctype B() { do :: b = !b od }
ltl p { [] <> b }
ltl q { [] <> (a && b) }
