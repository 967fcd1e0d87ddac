// A d_step that goes round for ever, found as S4: it is one that comes back to a state in which it was.
//! rule 2.4
//! differs pan does not come to an end
//! verdict assertions violated
byte x, y;
active proctype A() { d_step { do :: x == 255 -> x = 0; y = 1 :: else -> x++ od } }
