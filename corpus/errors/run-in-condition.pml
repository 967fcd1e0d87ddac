// A run inside a larger condition.
//! rule 1.4
//! error 8
proctype P() { skip }
byte x;
init
{
	(x == 0 && run P())
}
