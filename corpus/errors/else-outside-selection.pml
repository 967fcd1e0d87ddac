// An else that is not the guard of an option.
//! rule 10 row 20
//! error 8
byte x;
active proctype A()
{
	x = 1;
	else;
	x = 2
}
