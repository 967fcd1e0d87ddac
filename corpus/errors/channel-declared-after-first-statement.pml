// A channel that is created in the middle of a body.
//! rule 1.2
//! error 8
byte x;
active proctype A()
{
	x = 2;
	chan c = [1] of { byte };
	c!x
}
