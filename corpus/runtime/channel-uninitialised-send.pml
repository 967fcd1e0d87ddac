// A send to a channel that was never initialised.
//! rule 2.15
//! differs pan goes on as if the statement were not executable
//! verdict assertions violated
chan c;
chan d = [1] of { byte };
active proctype A() { c!1 }
