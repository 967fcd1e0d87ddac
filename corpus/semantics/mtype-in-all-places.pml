// Names of an mtype as values, in arrays, structs, messages and comparisons.
//! rule 1.2
//! plain 9/0/9/0/8 ok
mtype = { red, green, blue };
typedef Lamp { mtype colour; byte n };
mtype a[2] = green;
Lamp lamp;
chan q = [1] of { mtype };
active proctype A() { lamp.colour = blue; q!lamp.colour; q?a[0]; assert(a[0] == blue && a[1] == green); if :: a[0] == red :: a[0] != red -> lamp.n++ fi; assert(red > green) }
