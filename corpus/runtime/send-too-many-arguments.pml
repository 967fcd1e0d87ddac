// A send with too many arguments on a channel known only at run time.
//! rule 2.15
//! differs pan goes on behind the error
//! verdict assertions violated
chan q = [1] of { byte };
chan r = [1] of { byte, byte };
proctype P(chan c) { c!1,2 }
init { run P(q); run P(r) }
