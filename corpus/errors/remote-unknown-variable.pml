// A remote reference to a variable that does not exist.
//! rule 1.4
//! error 7
active proctype A() { byte n; n = 1 }
active proctype B()
{
	(A:m == 1)
}
