/*
 * Recursion by processes: CHAINS callers each start a process that starts a process that ... DEPTH deep, each with
 * a channel of its own on which it waits for the result. Many processes and channels are alive at once.
 * Holds: the result is the depth; no deadlock.
 * States of a plain search: 1,843 -DCHAINS=1 -DDEPTH=40, 139,934 by default, 3,392,712 -DDEPTH=7.
 */

#ifndef CHAINS
#define CHAINS 2
#endif
#ifndef DEPTH
#define DEPTH 5
#endif

proctype level(byte depth; chan result)
{
	chan below = [1] of { byte };
	byte value;

	if
	:: depth > 1 ->
		run level(depth - 1, below);
		below?value
	:: else
	fi;
	result!value + 1
}

active [CHAINS] proctype caller()
{
	chan below = [1] of { byte };
	byte value;

	run level(DEPTH, below);
	below?value;
	assert(value == DEPTH)
}
