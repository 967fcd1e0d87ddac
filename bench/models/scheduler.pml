/*
 * TASKS tasks on one processor. A task runs only when the scheduler has given it the processor (`provided`); it
 * computes, waits for a resource, uses it and lets it go. The scheduler may preempt it after every step.
 * Holds: a resource has one user; the processor is never given to nobody; no deadlock.
 * States of a plain search: 187,425 by default, 2,052,855 -DTASKS=5.
 */

#ifndef TASKS
#define TASKS 4
#endif
#ifndef WORK
#define WORK 2
#endif

#define NOBODY 255

byte current = NOBODY;
byte user_of[2] = NOBODY;
byte using;

active [TASKS] proctype task() provided (current == _pid)
{
	byte left;
	byte resource = _pid % 2;

	do
	:: left = WORK;
		do
		:: left > 0 -> left--
		:: else -> break
		od;
		atomic { user_of[resource] == NOBODY -> user_of[resource] = _pid };
		using++;
		assert(using <= 2 && user_of[resource] == _pid);
		using--;
		user_of[resource] = NOBODY
	od
}

active proctype scheduler()
{
	do
	:: current == NOBODY -> select(current : 0 .. TASKS - 1)
	:: current != NOBODY -> current = NOBODY
	od
}
