// A mistake in each of three proctypes.
//! rule 9
//! error 9
//! error 13
//! error 17
byte x;
active proctype A()
{
	y = 1
}
active proctype B()
{
	goto L
}
active proctype C()
{
	run D()
}
