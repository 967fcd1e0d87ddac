// A goto out of an atomic from inside a selection also ends atomicity.
//! rule 2.2
//! plain 13/6/19/6/8 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A()
{
	atomic { x = 1; if :: x == 1 -> goto L :: else fi; x = 9 };
	x = 8;
L:	x = 2; x = 3
}
active proctype B() { assert(x != 1) }
