// An assignment to a number.
//! rule 1.3
//! error 6
active proctype A()
{
	3 = 1
}
