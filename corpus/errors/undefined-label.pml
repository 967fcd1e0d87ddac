// A goto to a label that does not exist.
//! rule 10 row 3
//! error 8
byte x;
active proctype A()
{
	x = 1;
	goto nowhere
}
