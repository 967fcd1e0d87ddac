// A channel assigned to a byte.
//! rule 10 row 6
//! error 8
chan q = [1] of { byte };
byte x;
active proctype A()
{
	x = q
}
