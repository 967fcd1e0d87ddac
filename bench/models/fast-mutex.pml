/*
 * Lamport's fast mutual exclusion for N processes: seven accesses to memory when there is no contention.
 * Holds: mutual exclusion; no deadlock.
 * States of a plain search: 40,281 by default, 2,321,035 -DN=4.
 */

#ifndef N
#define N 3
#endif

byte x, y;	/* who tries, who is through; 0 is nobody */
bool busy[N + 1];
byte inside;

proctype user(byte me)
{
	byte j;

start:
	busy[me] = true;
	x = me;
	if
	:: y != 0 ->
		busy[me] = false;
		y == 0;
		goto start
	:: else
	fi;
	y = me;
	if
	:: x != me ->
		busy[me] = false;
		for (j : 1 .. N) {
			!busy[j]
		}
		j = 0;
		if
		:: y != me ->
			y == 0;
			goto start
		:: else
		fi
	:: else
	fi;

	inside++;
	assert(inside == 1);
	inside--;
	y = 0;
	busy[me] = false;
	goto start
}

init {
	byte i;

	atomic {
		for (i : 1 .. N) {
			run user(i)
		}
	}
}
