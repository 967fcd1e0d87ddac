// Two flags set too late do not exclude each other.
//! rule 3.2
//! plain 57/34/91/0/14 errors
//! verdict assertions violated
//! verdict deadlock holds
bool want[2];
byte inside;
active [2] proctype P()
{
	(!want[1 - _pid]);
	want[_pid] = true;
	inside++;
	assert(inside == 1);
	inside--;
	want[_pid] = false
}
