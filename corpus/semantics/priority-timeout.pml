// A timeout of a high process comes after all steps of a low one.
//! rule 2.9
//! plain 7/0/7/0/6 ok
byte x;
active proctype L() priority 1 { x = 1; x = 2 }
active proctype H() priority 5 { timeout -> x = 3 }
