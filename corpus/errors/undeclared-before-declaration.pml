// A variable is unknown before its declaration.
//! rule 10 row 2
//! error 7
byte x;
active proctype A()
{
	x = k;
	byte k;
	k = 1
}
