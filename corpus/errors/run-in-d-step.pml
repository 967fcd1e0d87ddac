// A run inside a d_step.
//! rule 2.4
//! error 7
proctype P() { skip }
init
{
	d_step { run P(); skip }
}
