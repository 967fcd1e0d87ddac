// An assignment to the own number.
//! rule 10 row 14
//! error 6
active proctype A()
{
	_pid = 3
}
