// A progress label at the first statement of an option marks the place after it.
//! verdict progress holds
byte n;
active proctype P() { do :: progress: n = 1 - n od }
