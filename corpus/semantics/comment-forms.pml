// Both comment forms are skipped, also between tokens and over several lines.
//! rule 1.1
//! plain 4/0/4/0/3 ok
byte x; /* one
   comment */ active proctype A() { x = /* two */ 1; // three
	x = 2 /* four */ }
