// A field of a variable that is no struct.
//! rule 10 row 23
//! error 7
byte x;
active proctype A()
{
	x.f = 2
}
