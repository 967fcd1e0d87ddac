// A for loop over a variable that is neither an array nor a channel.
//! rule f
//! error 7
byte i, x;
active proctype A()
{
	for (i in x) { skip }
}
