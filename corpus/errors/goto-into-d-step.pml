// A goto into a d_step.
//! rule 10 row 18
//! error 8
byte x;
active proctype A()
{
	if
	:: x == 0 -> goto L
	:: else
	fi;
	d_step { x = 1; L: x = 2; x = 3 }
}
