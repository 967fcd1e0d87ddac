// A send on a variable that is no channel.
//! rule 10 row 6
//! error 7
byte x;
active proctype A()
{
	x!1
}
