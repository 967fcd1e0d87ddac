// S3: an assertion of a claim about the last state, which is read again. pan: assertion violated.
//! verdict fails violated
//! verdict holds_on holds
//! verdict steps violated
byte x;
active proctype A() { x = 1 }
never fails { x == 0; x == 1; x == 1; assert(x == 0) }
never holds_on { x == 0; x == 1; x == 1; assert(x == 1); x == 0 }
never steps { d_step { x == 0 -> skip }; d_step { x == 1 -> skip }; d_step { x == 1; skip }; d_step { x == 1; skip } }
