// A label that begins with progress by accident.
//! rule 9 item 17
//! warning 8
byte x;
active proctype A()
{
	x = 1;
progression:
	x = x + 1
}
