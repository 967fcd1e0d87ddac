// `timeout` is true in one state in the middle, where it lets a process go on, and for ever at the end.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict p violated
//! verdict q holds
byte x;
active proctype A() { timeout -> x = 1; x = 2 }
ltl p { [] (timeout -> x == 2) }
ltl q { [] ((x == 1) -> !timeout) }
