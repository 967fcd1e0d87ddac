// A process may lower its own priority.
//! rule 2.9
//! plain 8/0/8/0/7 ok
byte x;
active proctype A() priority 5 { x = 1; set_priority(_pid, 1); x = 2 }
active proctype B() priority 3 { x = x + 10; assert(get_priority(_pid) == 3) }
