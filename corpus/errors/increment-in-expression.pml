// An increment inside an expression.
//! rule 1.3
//! error 7
byte x, y;
active proctype A()
{
	x = y++ + 1
}
