// Statements on lines of their own need no separator.
//! rule 1.1
//! plain 14/0/14/1/14 ok
byte x
active proctype A()
{
	byte y
	x = 1
	y = x
	if
	:: x == 1 ->
		x++
		y++
	:: else
	fi
	do
	:: y < 4 -> y++
	:: else -> break
	od
	atomic {
		x = 0
		y = 0
	}
	x = y
}
