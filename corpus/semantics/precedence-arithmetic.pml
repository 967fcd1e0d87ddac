// The binding of arithmetic, shift, comparison and bit operators.
//! rule 1.4
//! plain 12/0/12/0/11 ok
active proctype A()
{
	assert(1 + 2 * 3 == 7);
	assert(10 - 4 - 3 == 3);
	assert(1 << 1 + 1 == 4);
	assert((5 & 3 == 3) == 1);
	assert((6 | 1 ^ 3 & 2) == 7);
	assert(8 / 2 / 2 == 2 && 7 % 4 % 2 == 1);
	assert(1 < 2 == 1);
	assert(-2 + 3 == 1);
	assert(!0 + 1 == 2);
	assert(1 || 0 && 0)
}
