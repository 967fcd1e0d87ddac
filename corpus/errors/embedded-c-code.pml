// A statement in C.
//! rule 8
//! error 8
byte x;
active proctype A()
{
	x = 1;
	c_code { now.x = 2; }
}
