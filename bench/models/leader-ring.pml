/*
 * Leader election in a ring of N nodes (Chang and Roberts): a node sends its number around, forwards larger
 * numbers and swallows smaller ones; the number that comes back names the leader, who announces itself.
 * The numbers sit on the ring in an arbitrary order, which is chosen first.
 * Holds: there is one leader, the node with the largest number, and everybody learns it.
 * States of a plain search: 9,059 -DN=4, 173,448 by default, 4,281,277 -DN=6.
 */

#ifndef N
#define N 5
#endif
#ifndef L
#define L 2	/* capacity of a link */
#endif

mtype = { candidate, elected };

chan ring[N] = [L] of { mtype, byte };
byte leaders;

proctype node(chan in, out; byte me)
{
	byte number;
	byte leader;

	out!candidate(me);
	do
	:: in?candidate(number) ->
		if
		:: number > me -> out!candidate(number)
		:: number < me
		:: number == me ->
			leaders++;
			assert(me == N && leaders == 1);
			leader = me;
			out!elected(me)
		fi
	:: in?elected(number) ->
		assert(number == N);
		if
		:: leader == 0 -> leader = number; out!elected(number)
		:: else
		fi;
		break
	od
}

init {
	byte i;
	byte number[N];
	bool used[N];

	for (i : 0 .. N - 1) {
		do
		:: !used[number[i]] -> break
		:: number[i] < N - 1 -> number[i]++
		:: else -> number[i] = 0
		od;
		used[number[i]] = true
	}
	atomic {
		for (i : 0 .. N - 1) {
			run node(ring[i], ring[(i + 1) % N], number[i] + 1)
		}
		i = 0
	}
}
