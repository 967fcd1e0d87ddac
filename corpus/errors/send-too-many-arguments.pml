// A send with more arguments than the channel has fields.
//! rule 10 row 26
//! error 7
chan q = [1] of { byte };
active proctype A()
{
	q!1,2
}
