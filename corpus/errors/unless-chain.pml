// Two escapes in a row without braces.
//! rule 2.7
//! error 7
byte x, e, d;
active proctype A()
{
	{ x = 1; x = 2 } unless { e == 1 -> x = 7 } unless { d == 1 -> x = 9 }
}
