// A send with fewer arguments than the channel has fields: executing it is an error.
//! rule 10 row 26
//! warning 7
chan q = [1] of { byte, byte };
active proctype A()
{
	q!1
}
