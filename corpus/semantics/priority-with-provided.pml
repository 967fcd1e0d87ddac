// A high process whose provided clause is false does not hold back a low one.
//! rule 2.9
//! plain 7/0/7/0/6 ok
byte x;
bool ok;
active proctype H() priority 5 provided (ok) { x = 9 }
active proctype L() priority 1 { x = 1; ok = 1; x = 2 }
