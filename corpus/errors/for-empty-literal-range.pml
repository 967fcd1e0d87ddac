// A for loop over a literal range that is empty.
//! rule f
//! error 7
byte i;
active proctype A()
{
	for (i : 3 .. 1) { skip }
}
