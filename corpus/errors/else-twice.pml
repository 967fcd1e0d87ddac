// Two elses in one selection.
//! rule 10 row 20
//! error 10
byte x;
active proctype A()
{
	if
	:: x == 1
	:: else -> x = 2
	:: else -> x = 3
	fi
}
