// A receive with more arguments than the channel has fields.
//! rule 10 row 26
//! error 8
chan q = [1] of { byte };
byte x, y;
active proctype A()
{
	q?x,y
}
