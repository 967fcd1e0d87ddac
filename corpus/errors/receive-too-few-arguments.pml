// A receive with fewer arguments than the channel has fields.
//! rule 10 row 26
//! error 9
chan q = [1] of { byte, byte };
byte x;
active proctype A()
{
	q!1,2;
	q?x
}
