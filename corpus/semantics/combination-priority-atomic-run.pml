// A process of higher priority that is started in an atomic interrupts the atomic.
//! rule 2.9
//! plain 7/0/7/3/8 ok
byte x;
proctype P() { x = x + 10 }
init { atomic { x = 1; run P() priority 7; x = x * 2; x = x * 2 }; assert(x == 44) }
