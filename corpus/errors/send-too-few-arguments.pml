// A send with fewer arguments than the channel has fields.
//! rule 10 row 26
//! error 7
chan q = [1] of { byte, byte };
active proctype A()
{
	q!1
}
