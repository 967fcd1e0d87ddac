// A constant of one named mtype assigned to a variable of another.
//! rule 10 row 13
//! error 9
mtype:fruit = { apple, pear };
mtype:colour = { red, green };
mtype:fruit f;
active proctype A()
{
	f = red
}
