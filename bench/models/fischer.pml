/*
 * Fischer's mutual exclusion, with time as ticks. A process that saw the lock free writes its name within WRITE
 * ticks, then waits more than WRITE ticks and enters if the name is still its own.
 * Time passes only while nobody is at the end of its time to write.
 * Holds for WAIT > WRITE: mutual exclusion; no deadlock.
 * States of a plain search: 6,045 by default, 2,781,056 -DN=7.
 */

#ifndef N
#define N 4
#endif
#ifndef WRITE
#define WRITE 2
#endif
#ifndef WAIT
#define WAIT 3
#endif

byte owner;	/* 0 if the lock is free */
byte timer[N];	/* ticks left */
bool urgent[N];	/* must act before its timer has run out */
byte due;	/* how many have to act before the next tick */
byte inside;

active proctype clock()
{
	byte i;

	do
	:: d_step {
			due == 0 ->
			for (i : 0 .. N - 1) {
				if
				:: timer[i] > 0 ->
					timer[i]--;
					due = due + (urgent[i] && timer[i] == 0)
				:: else
				fi
			}
			i = 0
		}
	od
}

proctype user(byte me)
{
	do
	:: atomic { owner == 0 -> timer[me] = WRITE; urgent[me] = true };
		atomic {
			due = due - (timer[me] == 0);
			urgent[me] = false;
			timer[me] = WAIT;
			owner = me + 1
		}
		timer[me] == 0;
		if
		:: owner == me + 1 ->
			inside++;
			assert(inside == 1);
			inside--;
			owner = 0
		:: else
		fi
	od
}

init {
	byte i;

	atomic {
		for (i : 0 .. N - 1) {
			run user(i)
		}
	}
}
