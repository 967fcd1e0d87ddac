// An include of a file that does not exist.
//! rule 10 row 21
//! error 4
#include "no-such-file.pml"
active proctype A() { skip }
