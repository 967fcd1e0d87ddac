// An array without an index in an expression.
//! rule 10 row 10
//! error 7
byte a[3], x;
active proctype A()
{
	x = a + 1
}
