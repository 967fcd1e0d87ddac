// A remote reference to a proctype that does not exist.
//! rule 1.4
//! error 7
active proctype A() { skip }
active proctype B()
{
	(C@here)
}
