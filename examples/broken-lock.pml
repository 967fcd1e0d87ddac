/* A lock that looks right: test, then set. Two processes can both pass the test. */

bool locked;
byte inside;

active [2] proctype user()
{
	do
	:: !locked ->
		locked = true;
		inside++;
		assert(inside == 1);
		inside--;
		locked = false
	od
}
