// A receive with fewer arguments than the channel has fields: executing it is an error.
//! rule 10 row 26
//! warning 6
//! warning 10
chan q = [1] of { byte, byte };
byte x;
active proctype A()
{
	q!1,2;
	q?x
}
