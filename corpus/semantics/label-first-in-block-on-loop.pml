// A label on a loop may be the first thing inside a block, an atomic sequence or an inline, and is jumped to from outside.
//! rule c2
//! plain 137/105/242/138/43 errors
byte x, y;
inline count(to)
{
L:	do
	:: x < to -> x++
	:: else -> break
	od
}
active proctype A()
{
	count(2);
	{
M:		do
		:: x > 0 -> x--; goto L
		:: y < 2 -> break
		:: y == 2 -> goto done
		od;
		y++
	};
	atomic {
N:		do
		:: x < 3 -> x++
		:: x == 3 -> break
		od;
		x = 0
	};
	if
	:: y == 1 -> goto M
	:: y == 2 -> goto N
	:: y == 2 -> goto M
	fi;
done:
	assert(y == 2)
}
active proctype B() { do :: y == 1 -> break :: x == 2 -> x = 1 od }
