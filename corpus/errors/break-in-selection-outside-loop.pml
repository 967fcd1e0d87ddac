// A break in a selection that is in no loop.
//! rule 1.3
//! error 8
byte x;
active proctype A()
{
	if
	:: x == 0 -> break
	:: else
	fi
}
