// A channel given for a byte parameter.
//! rule 10 row 6
//! error 8
chan q = [1] of { byte };
proctype P(byte n) { skip }
init
{
	run P(q)
}
