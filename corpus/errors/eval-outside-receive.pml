// An eval that is not an argument of a receive.
//! rule 1.4
//! error 7
byte x;
active proctype A()
{
	x = eval(x)
}
