// A byte variable assigned to a channel.
//! rule 10 row 6
//! error 8
chan q = [1] of { byte };
byte x;
active proctype A()
{
	q = x
}
