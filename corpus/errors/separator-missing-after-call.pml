// Two statements on one line without a separator after a send.
//! rule 10 row 1
//! error 8
chan q = [2] of { byte };
byte x;
active proctype A()
{
	q!1 x = 2;
	x = 3
}
