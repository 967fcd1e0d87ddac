/*
 * Two-phase commit between a coordinator and N databases, for ROUNDS transactions. A database votes as it likes;
 * a message to the coordinator may be lost, after which the coordinator gives up waiting and aborts. Decisions are
 * repeated until everybody has confirmed.
 * Holds: no two databases decide differently, and a commit has the consent of all; no deadlock.
 * States of a plain search: 2,438 -DN=2, 102,859 by default, 6,256,522 -DN=4.
 */

#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

mtype = { prepare, commit, abort, yes, no, confirm };
mtype = { open, ready, committed, aborted };

chan to_database[N] = [1] of { mtype };
chan to_coordinator = [N] of { mtype, byte };
mtype status[N] = open;

proctype database(byte me)
{
end:
	do
	:: to_database[me]?prepare ->
		if
		:: status[me] = ready; to_coordinator!yes(me)
		:: status[me] = aborted; to_coordinator!no(me)
		:: status[me] = ready	/* the vote is lost */
		fi
	:: to_database[me]?commit ->
		assert(status[me] == ready);
		status[me] = committed;
		to_coordinator!confirm(me)
	:: to_database[me]?abort ->
		assert(status[me] != committed);
		status[me] = aborted;
		to_coordinator!confirm(me)
	od
}

proctype coordinator()
{
	byte round, i, who, votes, confirmed;
	bool refused;
	mtype what, decision;

	for (round : 1 .. ROUNDS) {
		for (i : 0 .. N - 1) {
			to_database[i]!prepare
		}
		do
		:: votes + refused < N && !refused ->
			if
			:: to_coordinator?yes(who) -> votes++; who = 0
			:: to_coordinator?no(who) -> refused = true; who = 0
			:: timeout -> refused = true
			fi
		:: else -> break
		od;
		decision = (refused -> abort : commit);
		for (i : 0 .. N - 1) {
			to_database[i]!decision
		}
		do
		:: confirmed < N ->
			to_coordinator?what(who);
			confirmed = confirmed + (what == confirm)
		:: else -> break
		od;
		for (i : 0 .. N - 1) {
			assert(status[i] == (refused -> aborted : committed));
			status[i] = open
		}
		assert(empty(to_coordinator));
		d_step {
			i = 0; who = 0; votes = 0; confirmed = 0; refused = false; what = 0; decision = 0
		}
	}
}

init {
	byte i;

	atomic {
		for (i : 0 .. N - 1) {
			run database(i)
		}
		run coordinator();
		i = 0
	}
}
