// A send with more arguments than its channel has fields, which can be seen at once.
//! rule 2.15
//! differs pan goes on behind the error
//! verdict assertions violated
chan q = [1] of { byte };
chan r = [1] of { byte, byte };
active proctype A() { q!1,2 }
active proctype B() { r!1,2 }
