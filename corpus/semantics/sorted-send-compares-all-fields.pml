// A sorted send orders by all fields from the left; copy receive and random poll leave the channel as it is.
//! rule 2.13
//! plain 16/0/16/0/15 ok
chan q = [8] of { byte, byte };
byte a, b;
active proctype A()
{
	q!!3,1; q!!1,2; q!!2,9; q!!1,1;
	q?a,b; assert(a == 1 && b == 1);
	q?a,b; assert(a == 1 && b == 2);
	q??3,b; assert(b == 1);
	q?<a,b>; assert(len(q) == 1);
	assert(a == 2 && b == 9);
	assert(q??[2,9])
}
