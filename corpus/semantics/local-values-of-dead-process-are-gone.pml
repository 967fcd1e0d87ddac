// When a process has died its locals no longer distinguish states.
//! rule 3.2
//! plain 8/1/9/0/6 ok
byte x;
proctype P() { byte t; if :: t = 1 :: t = 2 fi }
init { run P(); (_nr_pr == 1) -> x = 1 }
