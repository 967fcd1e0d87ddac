// The length of a variable that is no channel.
//! rule 10 row 6
//! error 7
byte x, y;
active proctype A()
{
	y = len(x)
}
