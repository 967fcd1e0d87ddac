/* N philosophers, N forks, each takes the left fork first: they can starve. */

#ifndef N
#define N 4
#endif

mtype = { fork };
chan table[N] = [1] of { mtype };

proctype philosopher(byte left, right)
{
	do
	:: table[left]?fork;
		table[right]?fork;
		/* eats */
		table[left]!fork;
		table[right]!fork
	od
}

init
{
	byte i;
	atomic {
		for (i : 0 .. N-1) {
			table[i]!fork;
			run philosopher(i, (i + 1) % N)
		}
	}
}
