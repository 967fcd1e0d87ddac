// A declaration in an option is a step.
//! rule 1.2
//! warning 9
byte x;
active proctype A()
{
	do
	:: x < 3 ->
		byte k;
		k++;
		x = x + k
	:: else -> break
	od
}
