// With innermost first and atomic escapes, the outer escape fires between the guard and the body of the inner one.
//! rule 2.7
//! pan -J
//! options --unless innermost
//! plain 5/0/5/2/6 ok
byte x;
active proctype A()
{
	{ { x = 1; x = 2 } unless { atomic { (x == 1) -> x = 7 } } } unless { atomic { (x == 1) -> x = 8 } };
	assert(x == 8)
}
