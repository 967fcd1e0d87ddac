/*
 * An elevator for FLOORS floors and PEOPLE people. People press a button, wait for the door, ride and leave; the
 * cab goes on in its direction while there is something to do there, otherwise it turns round.
 * Holds: people enter and leave only at an open door of their floor, the door is shut on the way; no deadlock.
 * States of a plain search: 219,090 by default, 862,792 -DFLOORS=4, 23,466,678 -DPEOPLE=3.
 */

#ifndef FLOORS
#define FLOORS 3
#endif
#ifndef PEOPLE
#define PEOPLE 2
#endif

byte floor;	/* where the cab is */
bool open, moving;
bool wanted[FLOORS];
byte aboard;

inline work_above(result)
{
	d_step {
		k = floor + 1;
		result = false;
		do
		:: k < FLOORS -> result = result || wanted[k]; k++
		:: else -> break
		od;
		k = 0
	}
}

inline work_below(result)
{
	d_step {
		k = 0;
		result = false;
		do
		:: k < floor -> result = result || wanted[k]; k++
		:: else -> break
		od;
		k = 0
	}
}

active proctype cab()
{
	byte k;
	bool up = true, work;

end:
	do
	:: wanted[floor] ->
		open = true;
		wanted[floor] = false;
		open = false
	:: else ->
		if
		:: up -> work_above(work)
		:: else -> work_below(work)
		fi;
		if
		:: work ->
			moving = true;
			assert(!open);
			floor = (up -> floor + 1 : floor - 1);
			moving = false
		:: else -> up = !up
		fi;
		work = false
	od
}

active [PEOPLE] proctype person()
{
	byte here, there;

	do
	:: select(there : 0 .. FLOORS - 1);
		if
		:: there != here ->
			wanted[here] = true;
			do
			:: atomic { open && floor == here -> assert(!moving); aboard++ }; break
			:: !open && !wanted[here] -> wanted[here] = true	/* missed it */
			od;
			wanted[there] = true;
			do
			:: atomic { open && floor == there -> assert(!moving); aboard-- }; break
			:: !open && !wanted[there] -> wanted[there] = true
			od;
			here = there
		:: else
		fi;
		there = 0
	od
}
