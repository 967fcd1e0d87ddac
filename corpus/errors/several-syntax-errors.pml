// A syntax error in each of two proctypes; the second is found after the first.
//! rule 9
//! error 8
//! error 13
byte x;
active proctype A()
{
	x = ;
	x = 1
}
active proctype B()
{
	x = 1 + * 2
}
