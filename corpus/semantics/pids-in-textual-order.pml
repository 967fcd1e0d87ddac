// Pids of active processes and init follow the order of the text.
//! rule 1.2
//! plain 63/98/161/0/10 ok
active proctype A() { assert(_pid == 0) }
active [2] proctype B() { assert(_pid == 1 || _pid == 2) }
init { assert(_pid == 3) }
active proctype C() { assert(_pid == 4) }
