// Two statements on one line without a separator.
//! rule 10 row 1
//! error 7
byte x;
active proctype A()
{
	x = 1 x = 2
}
