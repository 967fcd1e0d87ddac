// A goto to itself is a process that can always move.
//! rule h
//! differs Spin reports an infinite goto loop
//! plain 1/1/2/0/0 ok
active proctype A() { L: goto L }
