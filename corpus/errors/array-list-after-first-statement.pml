// A list of initial values in a declaration that is a step.
//! rule 1.2
//! error 8
byte x;
active proctype A()
{
	x = 1;
	byte a[2] = { 1, 2 };
	x = a[1]
}
