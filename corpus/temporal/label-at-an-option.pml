// An accept or progress label at the first statement of an option marks the place after it.
//! verdict acceptance violated
byte n;
active proctype P() { do :: accept: n = 1 - n od }
