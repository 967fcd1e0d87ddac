// A number that does not fit a bit.
//! rule 10 row 12
//! warning 7
bit b;
active proctype A()
{
	b = 2;
	assert(b == 0)
}
