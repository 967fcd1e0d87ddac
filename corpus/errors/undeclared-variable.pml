// A variable that is not declared.
//! rule 10 row 2
//! error 8
byte counter;
active proctype A()
{
	counter = 1;
	conter = 2
}
