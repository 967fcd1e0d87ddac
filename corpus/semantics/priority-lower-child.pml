// A process started with a lower priority goes after its parent.
//! rule 2.9
//! plain 6/0/6/0/5 ok
byte x;
proctype P() { assert(x == 3) }
active proctype A() priority 4 { run P() priority 2; x = 3 }
