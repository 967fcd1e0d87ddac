// A run and a rendezvous with the new process in one atomic.
//! rule 2.3
//! plain 16/7/23/9/15 ok
chan c = [0] of { byte };
byte x;
proctype P() { byte v; atomic { c?v; x = x + v; x = x + v } }
init { atomic { run P(); c!1; run P(); c!2; x = x + 10 }; assert(x >= 12) }
