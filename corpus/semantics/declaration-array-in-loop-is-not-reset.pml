// An array declared in a loop gets a new value only in element 0; the other elements keep theirs.
//! rule 1.2
//! plain 17/0/17/0/16 ok
byte i;
active proctype A()
{
	do
	:: i < 2 -> { byte a[2]; assert(a[0] == 0); assert(a[1] == i); a[0]++; a[1]++; i++ }
	:: else -> break
	od
}
