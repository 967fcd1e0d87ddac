// A constant of one named mtype sent in a field of another.
//! rule 10 row 13
//! warning 9
mtype:fruit = { apple, pear };
mtype:colour = { red, green };
chan q = [1] of { mtype:fruit };
active proctype A()
{
	q!green
}
