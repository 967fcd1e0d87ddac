// A syntax error and an unknown name in different proctypes.
//! rule 9
//! error 8
//! error 12
byte x;
active proctype A()
{
	x = )
}
active proctype B()
{
	y = 2
}
