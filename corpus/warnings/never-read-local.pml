// A local that is written and never read.
//! rule 3.3
//! warning 7
byte x;
active proctype A()
{
	byte t;
	t = x;
	x = 1
}
