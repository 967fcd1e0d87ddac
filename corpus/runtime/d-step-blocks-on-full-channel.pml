// A send to a full channel inside a d_step.
//! rule 2.4
//! differs pan ends the whole search
//! verdict assertions violated
chan q = [1] of { byte };
active proctype A() { d_step { q!1; q!2 } }
