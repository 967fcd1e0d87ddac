// A receiver in a d_step and a sender in an atomic.
//! rule 2.3
//! plain 5/0/5/1/6 ok
chan c = [0] of { byte };
byte x;
active proctype A() { d_step { c?x; x++ } }
active proctype B() { atomic { c!1; x = x + 10; x = x + 20 } }
