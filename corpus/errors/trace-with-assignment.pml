// A trace with a statement that is not an event.
//! rule 4
//! error 10
chan q = [1] of { byte };
byte x;
active proctype A() { q!1 }
trace
{
	q!1;
	x = 1
}
