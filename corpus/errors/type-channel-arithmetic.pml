// Arithmetic on channels.
//! rule 1.2
//! error 8
chan q = [1] of { byte };
byte x;
active proctype A()
{
	x = q + 1
}
