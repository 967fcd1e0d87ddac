// A macro called with too few arguments.
//! rule 10 row 21
//! error 8
#define add(a, b) (a + b)
byte x;
active proctype A()
{
	x = add(1)
}
