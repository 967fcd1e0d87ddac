// A send to the channel of a process that has died.
//! rule 2.1
//! differs pan goes on as if the statement were not executable
//! verdict assertions violated
chan out = [1] of { chan };
proctype P() { chan c = [1] of { byte }; out!c }
init { chan d; run P(); out?d; (_nr_pr == 1); d!1 }
