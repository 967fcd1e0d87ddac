// A struct in an expression.
//! rule 10 row 23
//! error 9
typedef T { byte a };
T t;
byte x;
active proctype A()
{
	x = t + 1
}
