// A declaration in a nested block is a step.
//! rule 1.2
//! warning 9
byte x;
active proctype A()
{
	x = 1;
	{
		byte y = 2;
		x = x + y
	}
}
