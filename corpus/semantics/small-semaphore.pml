// A semaphore as an atomic test and decrement.
//! rule 3.2
//! plain 83/30/113/17/21 ok
byte sem = 1, inside;
inline down(s) { atomic { s > 0 -> s-- } }
inline up(s) { s++ }
active [3] proctype P() { down(sem); inside++; assert(inside == 1); inside--; up(sem) }
