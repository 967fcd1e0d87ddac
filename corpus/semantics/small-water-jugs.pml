// Two jugs of three and five litres; the assertion is the puzzle.
//! rule 3.2
//! plain 16/97/113/0/15 errors
//! verdict assertions violated
//! verdict deadlock holds
byte a, b;
#define min(x, y) (x < y -> x : y)
active proctype P()
{
	byte t;
	do
	:: a = 3
	:: b = 5
	:: a = 0
	:: b = 0
	:: d_step { t = min(a, 5 - b); a = a - t; b = b + t; t = 0 }
	:: d_step { t = min(b, 3 - a); b = b - t; a = a + t; t = 0 }
	:: assert(b != 4)
	od
}
