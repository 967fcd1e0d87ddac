// An assignment to the number of processes.
//! rule 10 row 14
//! error 6
active proctype A()
{
	_nr_pr = 3
}
