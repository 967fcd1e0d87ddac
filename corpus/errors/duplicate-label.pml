// Two labels of one name.
//! rule 10 row 9
//! error 8
byte x;
active proctype A()
{
L:	x = 1;
L:	x = 2;
	goto L
}
