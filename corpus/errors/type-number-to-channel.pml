// A number assigned to a channel.
//! rule 10 row 6
//! error 7
chan q = [1] of { byte };
active proctype A()
{
	q = 3
}
