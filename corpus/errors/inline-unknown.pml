// A call of an inline that does not exist.
//! rule 10 row 2
//! error 8
byte x;
active proctype A()
{
	x = 1;
	incr(x)
}
