/* Mistakes that are independent of each other. */
byte x;

active proctype main()
{
    y = 1;
	x = unknown + 1;
    assert(x = 2)
}
