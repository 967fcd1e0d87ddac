// A run of init.
//! rule 10 row 4
//! error 6
init
{
	run init()
}
