// A line that starts with an operator does not continue the line before.
//! rule 1.1
//! error 8
byte a, b;
active proctype A()
{
	a == 0
	&& b == 0
}
