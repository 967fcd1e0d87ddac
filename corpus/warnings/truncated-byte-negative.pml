// A negative number for a byte.
//! rule 10 row 12
//! warning 7
byte x;
active proctype A()
{
	x = -1;
	assert(x == 255)
}
