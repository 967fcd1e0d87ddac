/*
 * Dekker's mutual exclusion for two processes, each of which goes through its critical section any number of times.
 * Holds: mutual exclusion; no deadlock.
 * States of a plain search: 167 by default.
 */

bool wants[2];
byte turn;
byte inside;

#define OTHER (1 - _pid)

active [2] proctype user()
{
	assert(_pid < 2);
	do
	:: wants[_pid] = true;
		do
		:: !wants[OTHER] -> break
		:: wants[OTHER] ->
			if
			:: turn == OTHER ->
				wants[_pid] = false;
				turn == _pid;
				wants[_pid] = true
			:: turn == _pid
			fi
		od;
		inside++;
		assert(inside == 1);
		inside--;
		turn = OTHER;
		wants[_pid] = false
	od
}
