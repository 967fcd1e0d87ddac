// A proctype that is active and also run.
//! rule 2.1
//! plain 10/0/10/0/9 ok
byte n;
active proctype P() { byte k; k = n; n++; if :: k == 0 -> run P() :: else fi }
