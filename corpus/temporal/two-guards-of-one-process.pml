// Two processes that each enable a third one now and then.
//! verdict p violated
//! weak p violated
//! strong p holds
bit x, y, z;
active proctype X() { do :: x = 1; x = 0 od }
active proctype Y() { do :: y = 1; y = 0 od }
active proctype P() { (x || y) -> z = 1 }
ltl p { <> z }
