// Labels in an inline are separate in each call.
//! rule 1.1
//! plain 15/0/15/0/14 ok
byte x;
inline count(n) {
	skip;
again:	if
	:: x < n -> x++; goto again
	:: else
	fi
}
active proctype A() { count(2); count(4); assert(x == 4) }
