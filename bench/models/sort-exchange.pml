/*
 * Odd-even transposition sort: N-1 processes, each of which compares two neighbours in an array and exchanges them
 * when they are in the wrong order, until nothing is left to do. The array starts in any order of 0 .. N-1.
 * Holds: the array stays a permutation and ends up sorted; no deadlock.
 * States of a plain search: 31,335 by default, 3,347,905 -DN=8.
 */

#ifndef N
#define N 6
#endif

byte item[N];
byte disorder;	/* pairs of neighbours in the wrong order */

#define WRONG(i) (item[i] > item[i + 1])

/* How many of the three pairs that an exchange changes are in the wrong order. */
#define WRONG_NEAR(i) (WRONG(i) + (i > 0 -> WRONG(i - 1) : 0) + (i < N - 2 -> WRONG(i + 1) : 0))

proctype comparator(byte at)
{
	byte low, high;

	do
	:: atomic { WRONG(at) -> low = item[at + 1]; high = item[at] };
		d_step {
			if
			:: item[at] == high && item[at + 1] == low ->
				disorder = disorder - WRONG_NEAR(at);
				item[at] = low;
				item[at + 1] = high;
				disorder = disorder + WRONG_NEAR(at)
			:: else	/* a neighbour was faster */
			fi;
			low = 0;
			high = 0
		}
	:: disorder == 0 -> break
	od
}

init {
	byte i;
	bool used[N];

	for (i : 0 .. N - 1) {
		do
		:: !used[item[i]] -> break
		:: item[i] < N - 1 -> item[i]++
		:: else -> item[i] = 0
		od;
		used[item[i]] = true
	}
	atomic {
		for (i : 0 .. N - 2) {
			disorder = disorder + WRONG(i)
		}
		for (i : 0 .. N - 2) {
			run comparator(i)
		}
		i = 0
	}
	_nr_pr == 1;
	for (i : 0 .. N - 1) {
		assert(item[i] == i)
	}
}
