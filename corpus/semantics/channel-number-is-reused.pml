// A new channel may get the handle of a dead one.
//! rule 2.1
//! plain 15/2/17/0/12 ok
chan out = [1] of { chan };
chan first, second;
proctype P() { chan c = [1] of { byte }; out!c }
init { run P(); out?first; (_nr_pr == 1); run P(); out?second; (_nr_pr == 1); assert(first == second) }
