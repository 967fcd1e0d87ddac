// A variable in an expression that is not declared.
//! rule 10 row 2
//! error 7
byte x;
active proctype A()
{
	x = x + y
}
