// A constant that does not fit the field of a message.
//! rule 10 row 12
//! warning 8
chan q = [1] of { byte, bit };
byte x;
active proctype A()
{
	q!300,1;
	q?x,_;
	assert(x == 44)
}
