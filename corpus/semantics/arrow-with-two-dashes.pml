// An arrow with two dashes is an arrow, not a decrement before something greater.
//! rule 1.1
//! plain 11/0/11/0/10 ok
byte x = 3;
active proctype A()
{
	do
	:: x > 0 --> x--
	:: x == 0-->break
	od;
	(x == 0) --> assert(x == 0)
}
