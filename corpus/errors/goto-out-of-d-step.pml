// A goto out of a d_step.
//! rule 10 row 18
//! error 7
byte x;
active proctype A()
{
	d_step { x = 1; goto L };
	x = 2;
L:	x = 3
}
