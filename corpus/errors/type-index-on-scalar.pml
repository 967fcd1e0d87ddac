// An index on a variable that is no array.
//! rule 10 row 10
//! error 7
byte x;
active proctype A()
{
	x[1] = 2
}
