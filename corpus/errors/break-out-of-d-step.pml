// A break out of a d_step.
//! rule 10 row 18
//! error 8
byte x;
active proctype A()
{
	do
	:: d_step { x = 1; break }
	od
}
