// Two processes that ask about each other: there must be an answer, whatever it is.
//! rule 1.4
//! differs pan does not survive it
active proctype A() { enabled(1) }
active proctype B() { enabled(0) }
