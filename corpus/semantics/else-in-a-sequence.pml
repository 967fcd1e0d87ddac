// An else that is not the guard of an option is a step that is always possible, also where the option before it was not.
//! rule 10 row 20
//! plain 8/0/8/0/7 ok
byte x, n;
active proctype A()
{
	do
	:: n < 3 -> n++; else -> x++; break
	:: n >= 3 -> break
	od;
	else;
	x = 7
}
