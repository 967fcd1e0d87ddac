// A poll of a rendezvous channel.
//! rule 2.3
//! differs pan goes on behind the error
//! verdict assertions violated
chan c = [0] of { byte };
active proctype A() { if :: c?[1] :: else fi }
