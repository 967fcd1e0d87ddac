// A run without the arguments that are needed.
//! rule 10 row 5
//! error 7
proctype P(byte a) { skip }
init
{
	run P()
}
