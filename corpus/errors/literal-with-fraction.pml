// A literal with a fraction.
//! rule 10 row 23
//! error 7
byte x;
active proctype A()
{
	x = 1.5
}
