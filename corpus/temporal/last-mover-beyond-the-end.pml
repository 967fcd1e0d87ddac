// S3: when nothing moves any more, the last mover stays, no process is there, and `timeout` holds.
//! verdict last violated
//! verdict processes holds
//! verdict timeouts violated
//! verdict conditional violated
byte x;
active proctype A() { x = 1 }
ltl last { X X X X (_last == 1) }
ltl processes { X X X X (_nr_pr == 0) }
ltl timeouts { [] (x == 1 -> X X X !timeout) }
ltl conditional { X X X (x == 1) -> X X X X (x == 0) }
