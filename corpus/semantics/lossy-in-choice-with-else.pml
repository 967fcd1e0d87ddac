// With lossy channels a send is always executable, so else is never taken.
//! rule 2.12
//! spin -m
//! options --full-channel lose
//! plain 6/0/6/0/5 ok
chan q = [1] of { byte };
byte x;
active proctype A() { q!1; if :: q!2 -> x = 1 :: else -> x = 2 fi; assert(x == 1) }
