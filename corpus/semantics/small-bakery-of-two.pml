// Two processes with tickets.
//! rule 3.2
//! plain 114/67/181/0/16 errors
//! verdict assertions violated
//! verdict deadlock holds
byte t[2], inside;
active [2] proctype P()
{
	byte k;
	k = t[1 - _pid];
	t[_pid] = k + 1;
	(t[1 - _pid] == 0 || t[_pid] < t[1 - _pid] || (t[_pid] == t[1 - _pid] && _pid == 0));
	inside++;
	assert(inside == 1);
	inside--;
	t[_pid] = 0
}
