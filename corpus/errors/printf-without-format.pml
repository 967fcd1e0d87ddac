// A printf without a string.
//! rule 10 row 15
//! error 7
byte x;
active proctype A()
{
	printf(x)
}
