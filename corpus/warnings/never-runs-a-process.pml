// A never claim that starts a process.
//! rule 10 row 16
//! warning 9
byte x;
proctype P() { skip }
active proctype A() { x = 1; x == 1 }
never
{
	run P()
}
