/*
 * A sorting pipeline: each stage keeps the smallest value it has seen and passes the others on. A feeder sends N
 * values below K in any order; the last stage hands them to a collector through one channel per stage.
 * Holds: the values come out sorted; no deadlock.
 * States of a plain search: 928,737 by default.
 */

#ifndef N
#define N 4
#endif
#ifndef K
#define K 3
#endif
#ifndef L
#define L 2	/* capacity of a channel */
#endif

chan link[N + 1] = [L] of { byte };
chan sorted[N] = [0] of { byte };

proctype stage(byte at)
{
	byte kept, value, left;

	left = N - 1 - at;	/* how many to pass on */
	link[at]?kept;
	do
	:: left > 0 ->
		link[at]?value;
		if
		:: value < kept -> link[at + 1]!kept; kept = value
		:: else -> link[at + 1]!value
		fi;
		value = 0;
		left--
	:: else -> break
	od;
	sorted[at]!kept
}

proctype feeder()
{
	byte value, i;

	for (i : 1 .. N) {
		select(value : 0 .. K - 1);
		link[0]!value
	}
}

init {
	byte i, value, previous;

	atomic {
		for (i : 0 .. N - 1) {
			run stage(i)
		}
		run feeder()
	}
	for (i : 0 .. N - 1) {
		sorted[i]?value;
		assert(value >= previous);
		previous = value
	}
}
