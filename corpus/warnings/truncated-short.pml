// A number that does not fit a short.
//! rule 10 row 12
//! warning 7
short s;
active proctype A()
{
	s = 40000;
	assert(s == -25536)
}
