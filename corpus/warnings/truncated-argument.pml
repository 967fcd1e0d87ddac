// A constant argument that does not fit the parameter.
//! rule 10 row 12
//! warning 7
proctype P(byte n) { assert(n == 0) }
init
{
	run P(256)
}
