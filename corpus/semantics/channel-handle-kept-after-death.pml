// A handle to the channel of a dead process may be kept as long as nobody uses it.
//! rule 2.1
//! plain 8/1/9/0/6 ok
chan out = [1] of { chan };
chan keep;
proctype P() { chan c = [1] of { byte }; out!c }
init { run P(); out?keep; (_nr_pr == 1) }
