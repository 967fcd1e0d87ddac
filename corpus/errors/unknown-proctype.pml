// A run of a proctype that does not exist.
//! rule 10 row 4
//! error 7
proctype Worker() { skip }
init
{
	run Woker()
}
