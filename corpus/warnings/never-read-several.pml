// Several variables that are never read.
//! rule 3.3
//! warning 6
//! warning 7
//! warning 11
byte a;
byte b;
byte x;
active proctype A()
{
	byte c;
	a = x;
	b = x;
	c = x
}
