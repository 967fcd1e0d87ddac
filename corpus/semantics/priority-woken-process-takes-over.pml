// A high-priority process that becomes executable takes over at once.
//! rule 2.9
//! plain 8/0/8/0/7 ok
byte x;
bool go;
active proctype L() priority 1 { x = 1; go = true; x = 3 }
active proctype H() priority 5 { go -> assert(x == 1) }
