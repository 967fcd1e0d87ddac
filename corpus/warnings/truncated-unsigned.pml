// A number that does not fit the width of an unsigned variable.
//! rule 10 row 12
//! warning 7
unsigned u : 3;
active proctype A()
{
	u = 9;
	assert(u == 1)
}
