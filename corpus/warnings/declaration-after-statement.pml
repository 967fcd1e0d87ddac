// A declaration after the first statement is a step.
//! rule 1.2
//! warning 8
byte x;
active proctype A()
{
	x = 1;
	byte y = x;
	assert(y == 1)
}
