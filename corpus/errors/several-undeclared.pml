// Three names that are not declared, all reported in one run.
//! rule 9
//! error 9
//! error 10
//! error 11
byte x;
active proctype A()
{
	a = 1;
	x = b;
	c!1
}
