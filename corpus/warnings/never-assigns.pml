// A never claim that assigns a variable.
//! rule 10 row 16
//! warning 8
byte x;
active proctype A() { x = 1; x == 1 }
never
{
	x = 2
}
