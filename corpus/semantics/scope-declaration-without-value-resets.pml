// A declaration without a value in a loop sets the variable back to 0.
//! rule 1.2
//! plain 13/0/13/0/12 ok
byte n;
active proctype A() { do :: n < 2 -> byte k; k++; assert(k == 1); n++ :: n >= 2 -> break od }
