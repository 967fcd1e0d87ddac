// A high process that has ended but is not the youngest does not hold back the others.
//! rule 2.9
//! plain 6/0/6/0/5 ok
byte x;
active proctype H() priority 5 { x = 1 }
active proctype L() priority 1 { x = 2; x = 3 }
