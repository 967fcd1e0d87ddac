// A high process that waits for a low one.
//! rule 2.9
//! plain 9/0/9/0/8 ok
byte x;
active proctype L() priority 1 { x = 1; x = 2; x = 3 }
active proctype H() priority 9 { x == 2 -> x = 7; x == 3 }
