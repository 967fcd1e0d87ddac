// An expression may go on in the next line after an operator or in parentheses.
//! rule 1.1
//! plain 5/0/5/0/4 ok
byte x
active proctype A()
{
	x = 1 +
	    2
	(x == 3
	 && x > 0)
	assert(x == 3)
}
