// A count may be a constant expression.
//! rule 1.2
//! plain 7/2/9/0/4 ok
#define N 3
active [N - 1] proctype A() { skip }
