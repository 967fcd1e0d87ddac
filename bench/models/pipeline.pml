/*
 * A pipeline of STAGES stages with buffers of PLACES places between them. A stage may drop an item that is marked,
 * and passes the others on in order.
 * Holds: items arrive in order, and the last one, which is never marked, arrives; no deadlock.
 * States of a plain search: 270,375 by default, 380,587 -DSTAGES=3 -DITEMS=5, 896,167 -DSTAGES=5,
 * 1,671,887 -DSTAGES=3 -DITEMS=6, 6,420,867 -DSTAGES=3 -DITEMS=7, 22,026,319 -DSTAGES=3 -DITEMS=8.
 */

#ifndef STAGES
#define STAGES 4
#endif
#ifndef PLACES
#define PLACES 2
#endif
#ifndef ITEMS
#define ITEMS 4
#endif

chan buffer[STAGES + 1] = [PLACES] of { byte, bool };	/* number, marked */

proctype stage(byte at)
{
	byte item;
	bool marked;

	do
	:: buffer[at]?item, marked;
		if
		:: marked
		:: buffer[at + 1]!item, marked
		fi;
		if
		:: item == ITEMS -> break
		:: else
		fi
	od
}

init {
	byte i, item, last;
	bool marked;

	atomic {
		for (i : 0 .. STAGES - 1) {
			run stage(i)
		}
	}
	/* Feeds the pipeline and takes out what has arrived; the last item is never marked. */
	i = 0;
	do
	:: i < ITEMS - 1 ->
		if
		:: buffer[0]!i + 1, true
		:: buffer[0]!i + 1, false
		fi;
		i++
	:: i == ITEMS - 1 -> buffer[0]!ITEMS, false; i++
	:: buffer[STAGES]?item, marked ->
		assert(item > last);
		last = item;
		if
		:: item == ITEMS -> break
		:: else
		fi
	od
}
