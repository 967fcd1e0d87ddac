// Each ready receiver of a rendezvous is a separate successor.
//! rule 2.3
//! plain 6/0/6/0/4 ok
chan c = [0] of { byte };
byte got;
active proctype S() { c!1 }
active [2] proctype R() { byte v; end: c?v; got = _pid }
