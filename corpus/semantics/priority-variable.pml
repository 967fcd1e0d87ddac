// The variable _priority is the priority of the process.
//! rule 2.9
//! plain 8/0/8/0/7 ok
byte x;
active proctype A() priority 5 { assert(_priority == 5); _priority = 2; assert(get_priority(_pid) == 2); x = 2 }
active proctype B() priority 3 { x = 1 }
