// Mistakes of different kinds, all reported in one run.
//! rule 9
//! error 14
//! error 15
//! error 16
//! error 17
//! error 18
//! error 19
chan q = [1] of { byte };
byte x, a[2];
proctype P(byte n) { skip }
active proctype A()
{
	x = q;
	run P();
	a = 3;
	q!1,2;
	goto nowhere;
	printf("%f\n", x)
}
