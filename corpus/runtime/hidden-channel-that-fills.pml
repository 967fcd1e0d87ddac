// S2: a hidden channel: its messages are part of the states.
//! verdict assertions violated
hidden chan q = [2] of { byte };
active proctype A() { do :: len(q) < 2 -> q!1 :: len(q) == 2 -> assert(false) od }
