// An inline called with too few arguments.
//! rule 1.1
//! error 8
byte x;
inline add(a, b) { x = a + b }
active proctype A()
{
	add(1)
}
