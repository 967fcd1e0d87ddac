/*
 * A token ring: N stations hand a token round by rendezvous. Whoever has it may send one frame, which travels the
 * ring from buffer to buffer and is taken off by its sender.
 * Holds: there is one token; a frame is seen by the station it is for before it returns; no deadlock.
 * States of a plain search: 4,447 -DN=3, 66,605 by default, 845,241 -DN=5.
 */

#ifndef N
#define N 4
#endif

mtype = { token, frame };

chan ring[N] = [1] of { mtype, byte, byte, bool };	/* token, or frame: from, to, seen */
byte holders;

proctype station(byte me)
{
	byte from, to;
	bool seen, backlog;

end:
	do
	:: !backlog -> backlog = true
	:: ring[me]?token(_, _, _) ->
		holders++;
		assert(holders == 1);
		if
		:: backlog ->
			select(to : 0 .. N - 1);
			ring[(me + 1) % N]!frame(me, to, false);
			to = 0;
			/* Waits for its own frame. */
			ring[me]?frame(from, to, seen);
			assert(from == me && (seen || to == me));
			d_step { from = 0; to = 0; seen = false; backlog = false }
		:: true
		fi;
		holders--;
		ring[(me + 1) % N]!token(0, 0, false)
	:: ring[me]?frame(from, to, seen) ->
		ring[(me + 1) % N]!frame(from, to, (seen || to == me));
		d_step { from = 0; to = 0; seen = false }
	od
}

init {
	byte i;

	atomic {
		for (i : 0 .. N - 1) {
			run station(i)
		}
		ring[0]!token(0, 0, false);
		i = 0
	}
}
