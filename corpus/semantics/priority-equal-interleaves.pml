// Processes of equal priority interleave.
//! rule 2.9
//! plain 20/7/27/0/6 ok
byte x;
active proctype A() priority 3 { x = 1; x = 2 }
active proctype B() priority 3 { x = 5; x = 6 }
