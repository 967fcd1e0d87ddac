// The names that C compilers predefine are not predefined here, so this is an ordinary unknown variable.
//! rule 1.1
//! error 7
byte x;
active proctype A()
{
	x = linux
}
