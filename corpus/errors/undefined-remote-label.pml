// A remote reference to a label that does not exist.
//! rule 10 row 3
//! error 8
byte x;
active proctype A() { here: x = 1; x = 2 }
active proctype B()
{
	A@there
}
