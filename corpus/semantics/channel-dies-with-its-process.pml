// The channel of a process and what is in it vanish with the process.
//! rule 2.1
//! plain 12/0/12/0/11 ok
byte x;
proctype P() { chan c = [1] of { byte }; c!1 }
init { run P(); (_nr_pr == 1) -> x = 1; run P(); (_nr_pr == 1) -> x = 2 }
