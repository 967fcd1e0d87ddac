// An inline with an unless and a goto inside, called twice.
//! rule 2.7
//! plain 44/21/65/0/13 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x, e;
inline try(n) {
	skip;
	{ x = n; x == n + 1; goto done } unless { e == n -> x = n + 1 };
done:	x = 0
}
active proctype A() { try(1); try(3) }
active proctype B() { e = 1; x == 0; e = 3 }
