// Processes that start processes and report the sum of a tree.
//! rule 3.2
//! plain 45/29/74/0/17 ok
proctype Node(byte d; chan up)
{
	chan mine = [2] of { byte };
	byte a, b;
	if
	:: d == 0 -> up!1
	:: else ->
		run Node(d - 1, mine);
		run Node(d - 1, mine);
		mine?a;
		mine?b;
		up!a + b
	fi
}
init { chan top = [1] of { byte }; byte r; run Node(1, top); top?r; assert(r == 2) }
