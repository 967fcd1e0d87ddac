// A variable of a block is unknown after the block.
//! rule 10 row 2
//! error 8
byte x;
active proctype A()
{
	{ byte k; k = 1 };
	x = k
}
