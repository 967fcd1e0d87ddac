// A character that belongs to no token.
//! rule 1.1
//! error 7
byte x;
active proctype A()
{
	x = 1 ` 2
}
