// A variable that only receives.
//! rule 3.3
//! warning 7
chan q = [1] of { byte };
active proctype A()
{
	byte v;
	q!1;
	q?v
}
