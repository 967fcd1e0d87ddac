/*
 * COINS coins go through six accounts, one coin and one account at a time. There are (COINS + 5) over 5 states in
 * a small vector, and no run is longer than 5 * COINS steps: a state space of any size, for growth curves.
 * Holds: no coin is lost, all arrive; no deadlock.
 * States of a plain search: 3,006 by default, 962,601 -DCOINS=38, 2,118,763 -DCOINS=45, 8,259,891 -DCOINS=60,
 * 19,757,818 -DCOINS=72, 207,288,007 -DCOINS=117.
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
	:: account[5] == COINS -> break
	od
}
