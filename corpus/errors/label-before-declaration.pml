// A label before a declaration.
//! rule 1.3
//! error 8
byte x;
active proctype A()
{
	x = 1;
L:	byte y;
	y = x
}
