// The modifiers show and local do not change the behaviour.
//! rule 1.2
//! plain 21/5/26/0/6 ok
show byte x;
local byte y;
active proctype A() { show byte z; z = 1; x = z; y = x }
active proctype B() { x = 5 }
