// The number of processes counts those that have ended but are not removed.
//! rule 1.4
//! plain 14/3/17/2/11 errors
//! verdict assertions holds
//! verdict deadlock violated
proctype P() { skip }
init { assert(_nr_pr == 1); atomic { run P(); run P(); assert(_nr_pr == 3) }; (_nr_pr == 2); (_nr_pr == 1) }
