// A process started with a higher priority goes before its parent.
//! rule 2.9
//! plain 7/0/7/0/6 ok
byte x;
proctype P() { x = 1; x = 2 }
init { run P() priority 5; assert(x == 2) }
