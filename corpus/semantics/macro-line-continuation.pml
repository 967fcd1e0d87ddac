// A backslash at the end of a line continues a macro, with statements in it.
//! rule 1.1
//! plain 5/0/5/0/4 ok
#define both \
	x = 1; \
	y = 2
byte x, y;
active proctype A() { both; assert(x + y == 3) }
