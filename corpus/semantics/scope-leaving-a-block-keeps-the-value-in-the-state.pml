// The value of a variable of a block stays in the state after the block.
//! rule 1.2
//! plain 12/1/13/0/6 ok
active proctype A() { if :: true -> { byte k; k = 1 } :: true -> { byte m; m = 1 } fi; skip; skip }
