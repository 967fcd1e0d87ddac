// A label that is the first thing in an atomic.
//! rule 1.3
//! error 7
byte x;
active proctype A()
{
	atomic { L: x = 1; x = 2 };
	if :: x == 9 -> goto L :: else fi
}
