/*
 * Peterson's filter lock for N processes: N-1 levels, at each of which one process is held back.
 * Holds: mutual exclusion; no deadlock.
 * States of a plain search: 31,572 by default, 3,738,194 -DN=4.
 */

#ifndef N
#define N 3
#endif

byte level[N];	/* how far each process has got */
byte victim[N];	/* who came last to a level, plus one */
byte inside;

active [N] proctype user()
{
	byte at, other;

	do
	:: for (at : 1 .. N - 1) {
			level[_pid] = at;
			victim[at] = _pid + 1;
			other = 0;
			do
			:: other == N -> break
			:: other < N && (other == _pid || level[other] < at || victim[at] != _pid + 1) -> other++
			od
		}
		inside++;
		assert(inside == 1);
		inside--;
		level[_pid] = 0
	od
}
