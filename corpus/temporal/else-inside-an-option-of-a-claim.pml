// S5: an `else` waits for what stands before it, also where options are nested: `x == 0` stands behind it.
//! verdict never_0 violated
byte x;
active proctype A() { x = 2; x = 1 }
never { if :: if :: (x == 5) :: else fi; (x == 2) :: x == 0 -> x == 7 fi; (x == 1) }
