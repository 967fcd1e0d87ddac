// A message that was taken out leaves no trace.
//! rule 3.2
//! plain 8/1/9/0/5 ok
chan q = [2] of { byte };
byte v;
active proctype A() { if :: q!1 :: q!2 fi; q?v; v = 0; skip }
