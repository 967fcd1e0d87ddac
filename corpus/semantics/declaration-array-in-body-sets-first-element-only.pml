// The step of an array declaration after the first statement writes element 0 only.
//! rule 1.2
//! plain 7/0/7/0/6 ok
active proctype A()
{
	skip;
	byte a[3] = 4;
	assert(a[0] == 4);
	assert(a[1] == 0);
	assert(a[2] == 0)
}
