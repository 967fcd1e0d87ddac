// A reserved word as a label.
//! rule 10 row 14
//! error 8
byte x;
active proctype A()
{
	x = 1;
full:	x = 2
}
