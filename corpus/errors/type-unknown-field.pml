// A field that the struct does not have.
//! rule 10 row 23
//! error 8
typedef T { byte a };
T t;
active proctype A()
{
	t.b = 2
}
