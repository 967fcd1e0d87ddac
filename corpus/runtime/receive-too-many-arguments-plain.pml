// A receive with more arguments than its channel has fields, which can be seen at once.
//! rule 2.15
//! differs pan goes on behind the error
//! verdict assertions violated
chan q = [0] of { byte };
byte x, y;
active proctype A() { q!1 }
active proctype B() { q?x,y; assert(x == y) }
