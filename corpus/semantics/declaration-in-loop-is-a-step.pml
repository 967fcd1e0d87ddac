// A declaration in a nested block is a step that resets the variable in each round.
//! rule 2.18
//! plain 18/0/18/0/17 ok
byte n;
active proctype A()
{
	do
	:: n < 3 -> { byte k; assert(k == 0); k = k + 5; n++ }
	:: else -> break
	od
}
