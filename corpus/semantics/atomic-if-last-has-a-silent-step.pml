// An if at the end of an atomic is followed by one silent step that shows only in depth and atomic steps.
//! rule d
//! plain 5/0/5/6/10 ok
byte x;
active proctype A()
{
	do
	:: atomic { x < 3 -> if :: x == 1 -> x = x + 2 :: else -> x++ fi }
	:: x >= 3 -> break
	od
}
