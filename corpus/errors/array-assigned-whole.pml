// An assignment to an array without an index.
//! rule 10 row 10
//! error 7
byte a[3];
active proctype A()
{
	a = 1
}
