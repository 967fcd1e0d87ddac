// The number of processes counts those that have ended but are not removed.
//! rule 1.4
//! plain 14/4/18/2/11 ok
proctype P() { skip }
init { assert(_nr_pr == 1); atomic { run P(); run P(); assert(_nr_pr == 3) }; (_nr_pr <= 2); (_nr_pr == 1) }
