// A condition in C.
//! rule 8
//! error 7
byte x;
active proctype A()
{
	c_expr { now.x == 0 } -> x = 1
}
