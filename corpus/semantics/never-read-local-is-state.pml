// A local that is not used any more keeps states apart.
//! rule 3.2
//! plain 8/1/9/0/4 ok
active proctype A() { byte t; if :: t = 1 :: t = 2 fi; skip; skip }
