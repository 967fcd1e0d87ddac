// Two locks taken in opposite order; a timeout gives up.
//! rule 3.2
//! plain 69/30/99/28/24 ok
bool l[2];
byte gave_up;
active [2] proctype P()
{
	again:
	atomic { !l[_pid] -> l[_pid] = true };
	if
	:: atomic { !l[1 - _pid] -> l[1 - _pid] = true }
	:: timeout -> l[_pid] = false; gave_up = 1; goto again
	fi;
	l[0] = false;
	l[1] = false
}
