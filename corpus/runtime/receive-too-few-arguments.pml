// A receive with too few arguments on a channel known only at run time.
//! rule 2.15
//! differs pan goes on behind the error
//! verdict assertions violated
chan q = [1] of { byte, byte };
proctype P(chan c) { byte v; c?v }
init { q!1,2; run P(q) }
