// A guard with a variable that is not declared.
//! rule 10 row 2
//! error 8
byte x;
active proctype A()
{
	if
	:: ready -> x = 1
	:: else
	fi
}
