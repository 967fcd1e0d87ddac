// A send with more arguments than its channel has fields, but not more than the widest channel: executing it is an error.
//! rule 10 row 26
//! warning 8
chan q = [1] of { byte };
chan wide = [1] of { byte, byte, byte };
active proctype A()
{
	q!1,2;
	wide!1,2,3
}
