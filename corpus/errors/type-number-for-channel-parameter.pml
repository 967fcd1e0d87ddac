// A number given for a channel parameter.
//! rule 10 row 6
//! error 7
proctype P(chan c) { c!1 }
init
{
	run P(3)
}
