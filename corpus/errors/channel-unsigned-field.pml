// An unsigned field in a channel.
//! rule 1.2
//! error 4
chan c = [1] of { unsigned };
active proctype A() { skip }
