// A label that begins with accept by accident.
//! rule 9 item 17
//! warning 8
byte x;
active proctype A()
{
	x = 1;
accepted:
	x = x + 1
}
