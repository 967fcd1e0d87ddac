// Tracked memory in C.
//! rule 8
//! error 4
c_track "&k" "sizeof(int)"
active proctype A() { skip }
