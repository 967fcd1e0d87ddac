// Declarations before the first statement are free.
//! rule 1.2
byte x;
active proctype A()
{
	byte a = 1;
	byte b, c = 2;
	b = a + c;
	x = x + b
}
