// A run with too many arguments.
//! rule 10 row 5
//! error 7
proctype P(byte a) { skip }
init
{
	run P(1, 2)
}
