/*
 * Lamport's bakery for N processes, with tickets up to TICKETS: a process that would need a larger one waits
 * until the queue has become shorter. Numbers are read one by one, as in the original.
 * Holds: mutual exclusion; no deadlock.
 * States of a plain search: 633,804 by default, 1,450,566 -DTICKETS=7.
 */

#ifndef N
#define N 3
#endif
#ifndef TICKETS
#define TICKETS 4
#endif

bool choosing[N];
byte number[N];
byte inside;

#define BEFORE(j) (number[j] != 0 && (number[j] < number[_pid] || (number[j] == number[_pid] && j < _pid)))

active [N] proctype customer()
{
	byte j, largest;

	do
	:: choosing[_pid] = true;
		for (j : 0 .. N - 1) {
			if
			:: number[j] > largest -> largest = number[j]
			:: else
			fi
		}
		if
		:: largest < TICKETS -> number[_pid] = largest + 1
		:: else
		fi;
		largest = 0;
		choosing[_pid] = false;
		if
		:: number[_pid] != 0 ->
			for (j : 0 .. N - 1) {
				!choosing[j];
				!BEFORE(j)
			}
			inside++;
			assert(inside == 1);
			inside--;
			number[_pid] = 0
		:: else	/* the tickets have run out: try again */
		fi;
		j = 0
	od
}
