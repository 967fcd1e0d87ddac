// A never claim that starts a process.
//! rule 10 row 16
//! error 9
byte x;
proctype P() { skip }
active proctype A() { x = 1 }
never
{
	run P()
}
