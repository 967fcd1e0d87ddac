// A printf with too few arguments.
//! rule 10 row 15
//! warning 7
byte x;
active proctype A()
{
	printf("%d %d\n", x)
}
