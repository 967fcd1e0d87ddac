// A higher process that becomes executable inside an atomic of a lower one interrupts it.
//! rule 2.9
//! plain 8/0/8/2/8 ok
byte x;
active proctype L() priority 1 { atomic { x = 1; x = 2; x = 3 }; x = 4 }
active proctype H() priority 5 { x == 2 || x == 3 -> assert(x == 2) }
