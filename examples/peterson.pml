/* Two processes, one critical section: Peterson's algorithm. */

bool flag[2];
byte turn;
byte inside;

active [2] proctype user()
{
	assert(_pid < 2);
again:
	flag[_pid] = true;
	turn = 1 - _pid;
	(flag[1 - _pid] == false || turn == _pid);

	inside++;
	assert(inside == 1);	/* nobody else is here */
	inside--;

	flag[_pid] = false;
	goto again
}
