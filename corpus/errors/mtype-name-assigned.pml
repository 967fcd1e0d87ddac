// An assignment to an mtype constant.
//! rule 10 row 13
//! error 7
mtype = { red, green };
active proctype A()
{
	red = 1
}
