// Mutual exclusion by two flags and a turn.
//! rule 3.2
//! plain 38/27/65/0/22 ok
bool want[2];
byte turn, inside;
active [2] proctype P()
{
	do
	:: want[_pid] = true;
	   turn = _pid;
	   (want[1 - _pid] == false || turn == 1 - _pid);
	   inside++;
	   assert(inside == 1);
	   inside--;
	   want[_pid] = false
	od
}
