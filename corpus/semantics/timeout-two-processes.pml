// Two processes that wait for timeout: each may go first, then the other has to wait for the next timeout.
//! rule 2.6
//! plain 13/1/14/0/7 ok
byte x;
active proctype A() { timeout -> x = 1; x = 2 }
active proctype B() { timeout -> assert(x != 1) }
