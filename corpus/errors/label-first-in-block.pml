// A label that is the first thing in a block.
//! rule 1.3
//! error 7
byte x;
active proctype A()
{
	{ L: x = 1; x = 2 };
	if :: x == 9 -> goto L :: else fi
}
