// A channel that is not declared.
//! rule 10 row 2
//! error 6
active proctype A()
{
	q!1
}
