/*
 * The towers of Hanoi with DISCS discs and PEGS pegs, every move that the rules allow: PEGS to the power of
 * DISCS states.
 * Holds: every disc is on a peg; no deadlock.
 * States of a plain search: 6,561 by default, 1,594,323 -DDISCS=13.
 */

#ifndef DISCS
#define DISCS 8
#endif
#ifndef PEGS
#define PEGS 3
#endif

byte peg[DISCS];	/* where each disc is; disc 0 is the smallest */

/* The smallest disc on two pegs can only go to the other of the two, and may always go there. */
inline move(a, b)
{
	disc = 0;
	do
	:: disc < DISCS && peg[disc] != a && peg[disc] != b -> disc++
	:: else -> break
	od;
	if
	:: disc < DISCS ->
		peg[disc] = (peg[disc] == a -> b : a);
		assert(peg[disc] < PEGS)
	:: else	/* both are empty */
	fi;
	disc = 0
}

active proctype player()
{
	byte disc;

	do
	:: d_step { move(0, 1) }
	:: d_step { move(0, 2) }
	:: d_step { move(1, 2) }
#if PEGS == 4
	:: d_step { move(0, 3) }
	:: d_step { move(1, 3) }
	:: d_step { move(2, 3) }
#endif
	od
}
