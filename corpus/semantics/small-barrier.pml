// Three processes meet at a barrier.
//! rule 3.2
//! plain 92/113/205/0/15 ok
byte here, past;
active [3] proctype P() { here++; (here == 3); past++; assert(here == 3) }
