// A channel of negative capacity.
//! rule 1.2
//! error 4
chan c = [-1] of { byte };
active proctype A() { skip }
