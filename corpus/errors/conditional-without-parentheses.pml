// A conditional expression without parentheses.
//! rule 1.4
//! error 7
byte x, y;
active proctype A()
{
	x = y -> 1 : 2
}
