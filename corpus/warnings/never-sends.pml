// A never claim that sends a message.
//! rule 10 row 16
//! warning 9
chan q = [1] of { byte };
byte x;
active proctype A() { x = 1; x == 1 }
never
{
	q!2
}
