// A label on the guard of an escape.
//! rule 1.3
//! error 7
byte x;
active proctype A()
{
	{ x = 1; x = 2 } unless { L: x == 1; x = 3 }
}
