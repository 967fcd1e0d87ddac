/*
 * COINS coins in six accounts; a clerk moves one coin at a time to the next account or to the one after it.
 * There are (COINS + 5) over 5 states: a small vector and a state space of any size, for growth curves.
 * Holds: no coin is lost; no deadlock.
 */

#ifndef COINS
#define COINS 10
#endif

byte account[6];

inline transfer(from, to)
{
	account[from] > 0 ->
	account[from]--;
	account[to]++
}

init {
	account[0] = COINS;
	do
	:: d_step { transfer(0, 1) }
	:: d_step { transfer(1, 2) }
	:: d_step { transfer(2, 3) }
	:: d_step { transfer(3, 4) }
	:: d_step { transfer(4, 5) }
	:: d_step { transfer(5, 0) }
	od
}
