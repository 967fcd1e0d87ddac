// Of two nested escapes that are both executable the outer one is taken.
//! rule 2.7
//! plain 6/0/6/0/5 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A()
{
	{ { x = 1; x = 2 } unless { d_step { (x == 1) -> x = 7 } } } unless { d_step { (x == 1) -> x = 8 } };
	assert(x == 8);
	assert(x == 7)
}
