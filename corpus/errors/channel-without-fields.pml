// A channel without fields.
//! rule 1.2
//! error 4
chan c = [1] of { };
active proctype A() { skip }
