// A select over a literal range that is empty.
//! rule g
//! error 7
byte i;
active proctype A()
{
	select (i : 3 .. 1)
}
