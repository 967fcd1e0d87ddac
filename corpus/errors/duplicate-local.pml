// A local declared twice.
//! rule 10 row 7
//! error 7
active proctype A()
{
	byte x;
	byte x;
	x = 1
}
