// A conversion that printf does not know.
//! rule 10 row 15
//! error 7
byte x;
active proctype A()
{
	printf("%f\n", x)
}
