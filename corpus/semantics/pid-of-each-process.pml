// Each process knows its own number.
//! rule 1.4
//! plain 40/42/82/0/9 ok
pid p[3];
active [3] proctype P() { p[_pid] = _pid; assert(p[_pid] == _pid) }
