// A comparison of whole structs.
//! rule 10 row 23
//! error 8
typedef T { byte a; byte b };
T s, t;
active proctype A()
{
	s == t
}
