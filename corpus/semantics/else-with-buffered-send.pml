// Beside a buffered send, else is taken when the channel is full.
//! rule 2.5
//! plain 6/0/6/0/5 ok
chan q = [1] of { byte };
byte n;
active proctype A() { do :: q!n -> n++ :: else -> break od; assert(n == 1) }
