// A label that begins with end by accident.
//! rule 9 item 17
//! warning 8
byte x;
active proctype A()
{
	x = 1;
ending:	x = x + 1
}
