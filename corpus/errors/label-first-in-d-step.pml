// A label that is the first thing in a d_step.
//! rule 1.3
//! error 7
byte x;
active proctype A()
{
	d_step { L: x = 1; x = 2 }
}
