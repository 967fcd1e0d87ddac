// A run with too few arguments.
//! rule 10 row 5
//! error 7
proctype P(byte a, b) { skip }
init
{
	run P(1)
}
