// A break that is in no loop.
//! rule 1.3
//! error 8
byte x;
active proctype A()
{
	x = 1;
	break
}
