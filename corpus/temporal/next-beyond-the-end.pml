// S3: a formula that looks further than the run goes sees its last state again.
//! verdict one violated
//! verdict three violated
//! verdict four violated
//! verdict last holds
//! verdict response violated
byte x = 3;
active proctype P() { x = 1 }
ltl one { X (x == 3) }
ltl three { X X X (x == 3) }
ltl four { X X X X (x == 0) }
ltl last { X X X X X (x == 1) }
ltl response { [] (x == 3 -> X X X X (x == 3)) }
