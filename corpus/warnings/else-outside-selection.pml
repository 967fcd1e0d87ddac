// An else that is not the guard of an option can always be executed.
//! rule 10 row 20
//! warning 8
byte x;
active proctype A()
{
	x = 1;
	else;
	assert(x == 1)
}
