// States that differ in the contents of a channel differ.
//! rule 3.2
//! plain 7/0/7/0/3 ok
chan q = [2] of { byte };
active proctype A() { if :: q!1 :: q!2 fi; skip }
