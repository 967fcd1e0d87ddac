// A copy receive from a rendezvous channel.
//! rule 2.3
//! differs pan goes on behind the error
//! verdict assertions violated
chan c = [0] of { byte };
active proctype A() { byte v; c?<v> }
active proctype B() { c!1 }
