// A goto first in an option whose target is another goto.
//! rule b
//! plain 6/1/7/0/3 ok
byte x;
active proctype A() { if :: goto L :: x = 1 fi; x = 2; L: goto M; x = 4; M: x = 3 }
