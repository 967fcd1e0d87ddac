// A local variable of one proctype is unknown in another.
//! rule 10 row 2
//! error 7
active proctype A() { byte n; n = 1 }
active proctype B()
{
	n = 2
}
