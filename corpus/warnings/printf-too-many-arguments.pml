// A printf with more arguments than its format takes.
//! rule 10 row 15
//! warning 8
//! warning 9
byte x = 1;
active proctype A()
{
	printf("x is %d\n", x, x + 1);
	printf("done\n", x)
}
