// A select into a variable with an underscore in its name counts up, even between two literals.
//! rule g
//! plain 87/37/124/0/10 ok
byte the_value, seen;
active proctype A() { select (the_value : 1 .. 3); assert(the_value >= seen) }
active proctype B() { seen = the_value }
