// A receive with more arguments than the channel has fields: executing it is an error.
//! rule 10 row 26
//! warning 8
chan q = [1] of { byte };
byte x, y;
active proctype A()
{
	q?x,y;
	assert(x == y)
}
