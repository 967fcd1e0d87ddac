// Two runs in one expression.
//! rule 1.4
//! error 8
proctype P() { skip }
byte x;
init
{
	x = run P() + run P()
}
