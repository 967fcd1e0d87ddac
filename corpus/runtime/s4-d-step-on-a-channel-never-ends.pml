// A d_step that fills and empties a channel for ever, and asks how long another one is, found as S4.
//! rule 2.4
//! differs pan does not come to an end
//! verdict assertions violated
chan q = [2] of { byte };
chan free[2] = [1] of { byte };
byte i;
active proctype A() {
  d_step { do :: len(q) < 2 -> q!i; i = 1 - i :: len(q) == 2 && empty(free[i]) -> q?_; q?_ od }
}
