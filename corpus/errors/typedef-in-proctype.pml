// A typedef inside a proctype.
//! rule 1.2
//! error 6
active proctype A()
{
	typedef T { byte a };
	skip
}
