// The end of a process is a step, the state without processes is stored.
//! rule a
//! plain 3/0/3/0/2 ok
active proctype A() { skip }
