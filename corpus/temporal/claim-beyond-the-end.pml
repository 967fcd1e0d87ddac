// S3: a claim that comes to its end long after the run, which goes on with its last state. pan: end state in claim reached.
//! verdict never_0 violated
//! verdict assertions holds
byte x = 3;
active proctype P() { x = 1 }
never { x == 3; x == 1; x == 1; x == 1 }
