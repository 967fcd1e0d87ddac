// A send with too few arguments on a channel known only at run time.
//! rule 2.15
//! differs pan sends 0 for the missing ones
//! verdict assertions violated
chan q = [1] of { byte, byte };
proctype P(chan c) { c!1 }
init { run P(q) }
