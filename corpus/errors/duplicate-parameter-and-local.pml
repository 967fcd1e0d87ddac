// A local with the name of a parameter.
//! rule 10 row 7
//! error 6
proctype P(byte a)
{
	byte a;
	a = 1
}
init { run P(1) }
