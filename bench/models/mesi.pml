/*
 * Cache coherence (MESI) for N caches and LINES lines over a snooping bus. A miss asks for the bus by rendezvous;
 * while a transaction lasts the other caches look at it one after the other, which may write back or invalidate.
 * Holds: a line that is modified or exclusive is in no other cache, and whoever reads sees the last value written.
 * States of a plain search: 49,111 by default, 726,290 -DN=4.
 */

#ifndef N
#define N 3
#endif
#ifndef LINES
#define LINES 1
#endif

mtype = { modified, exclusive, shared, invalid };
mtype = { read, own, done };

typedef cache {
	mtype state[LINES];
	bit value[LINES];
}

cache caches[N];
bit memory[LINES];
bit latest[LINES];	/* what the last write wrote */

chan request = [0] of { mtype, byte, byte };	/* read or own; which cache, which line */
chan reply[N] = [0] of { mtype };

/* Processor and cache `_pid`. */
active [N] proctype processor()
{
	byte line;

	do
	:: atomic {
			select(line : 0 .. LINES - 1);
			if
			:: caches[_pid].state[line] == invalid
			:: else ->
				assert(caches[_pid].value[line] == latest[line]);
				line = 0;
				goto next
			fi
		}
		request!read(_pid, line);
		reply[_pid]?done;
		line = 0
	:: atomic {
			select(line : 0 .. LINES - 1);
			if
			:: caches[_pid].state[line] == modified || caches[_pid].state[line] == exclusive -> goto write
			:: else
			fi
		}
		request!own(_pid, line);
		reply[_pid]?done;
write:		atomic {
			if
			:: caches[_pid].state[line] == modified || caches[_pid].state[line] == exclusive ->
				caches[_pid].state[line] = modified;
				caches[_pid].value[line] = 1 - caches[_pid].value[line];
				latest[line] = caches[_pid].value[line]
			:: else	/* lost again before it could write */
			fi;
			line = 0
		}
	:: atomic {	/* makes room */
			select(line : 0 .. LINES - 1);
			if
			:: caches[_pid].state[line] == modified -> memory[line] = caches[_pid].value[line]
			:: else
			fi;
			caches[_pid].state[line] = invalid;
			caches[_pid].value[line] = 0;
			line = 0
		}
next:		skip
	od
}

active proctype bus()
{
	byte who, line, other;
	mtype what;
	bool found;

end:
	do
	:: request?what(who, line);
		for (other : 0 .. N - 1) {
			atomic {
				if
				:: other == who || caches[other].state[line] == invalid
				:: else ->
					found = true;
					if
					:: caches[other].state[line] == modified -> memory[line] = caches[other].value[line]
					:: else
					fi;
					if
					:: what == own ->
						caches[other].state[line] = invalid;
						caches[other].value[line] = 0
					:: else -> caches[other].state[line] = shared
					fi
				fi
			}
		}
		atomic {
			caches[who].value[line] = memory[line];
			if
			:: what == read && found -> caches[who].state[line] = shared
			:: else -> caches[who].state[line] = exclusive
			fi;
			other = 0;
			found = false
		}
		reply[who]!done
	od
}

