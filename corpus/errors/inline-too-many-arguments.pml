// An inline called with too many arguments.
//! rule 1.1
//! error 8
byte x;
inline inc(a) { a++ }
active proctype A()
{
	inc(x, 1)
}
