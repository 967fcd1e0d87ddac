// A constant in a receive that no message can match.
//! rule 10 row 12
//! warning 9
chan q = [1] of { byte };
active proctype A()
{
	q!1;
	if
	:: q?257
	:: q?1
	fi
}
