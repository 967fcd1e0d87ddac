// A receive into an expression without eval.
//! rule 1.3
//! error 8
chan q = [1] of { byte };
byte x;
active proctype A()
{
	q?x + 1
}
