/*
 * Missionaries and cannibals: COUPLES of each cross a river in a boat for BOAT people; on no bank may cannibals
 * outnumber the missionaries, if there are any.
 * Holds: nobody is eaten, because unsafe crossings are not allowed. Everybody across is the only end.
 * States of a plain search: 479 by default, 244,363 -DCOUPLES=100 -DBOAT=10.
 */

#ifndef COUPLES
#define COUPLES 3
#endif
#ifndef BOAT
#define BOAT 2
#endif

#define SAFE(m, c) ((m) == 0 || (m) >= (c))

byte missionaries = COUPLES, cannibals = COUPLES;	/* on the left bank */
bool left = true;	/* where the boat is */

active proctype boat()
{
	byte m, c;

	do
	:: missionaries + cannibals == 0 -> break
	:: else ->
		atomic {
			select(m : 0 .. BOAT);
			select(c : 0 .. BOAT)
		}
		if
		:: m + c > 0 && m + c <= BOAT && SAFE(m, c) ->
			d_step {
				if
				:: left && m <= missionaries && c <= cannibals &&
						SAFE(missionaries - m, cannibals - c) &&
						SAFE(COUPLES - missionaries + m, COUPLES - cannibals + c) ->
					missionaries = missionaries - m;
					cannibals = cannibals - c;
					left = false
				:: !left && m <= COUPLES - missionaries && c <= COUPLES - cannibals &&
						SAFE(missionaries + m, cannibals + c) &&
						SAFE(COUPLES - missionaries - m, COUPLES - cannibals - c) ->
					missionaries = missionaries + m;
					cannibals = cannibals + c;
					left = true
				:: else
				fi
			}
		:: else
		fi;
		assert(SAFE(missionaries, cannibals) && SAFE(COUPLES - missionaries, COUPLES - cannibals));
		d_step { m = 0; c = 0 }
	od
}
