/*
 * A telephone exchange: subscribers, the lines that serve them, a switch that knows who talks to whom, and an
 * account that counts calls. A subscriber lifts the receiver, dials, waits for an answer, talks and hangs up, or
 * answers when it rings.
 * Holds: a connection has two ends that know each other, and what is connected is disconnected; no deadlock.
 * States of a plain search: 35,521 -DN=2, 8,995,123 by default.
 */

#ifndef N
#define N 3
#endif

mtype = { lift, dial, hang_up };	/* subscriber to line */
mtype = { dial_tone, ringing, busy_tone, connected, silence };	/* line to subscriber */
mtype = { seize, call, answer, release };	/* line to switch */
mtype = { ring, engaged, through, cleared };	/* switch to line */
mtype = { begin, finish };	/* switch to account */

#define NOBODY N

chan handset[N] = [0] of { mtype, byte };
chan earpiece[N] = [0] of { mtype };
chan trunk = [0] of { mtype, byte, byte };
chan line_port[N] = [2] of { mtype, byte };
chan bill = [1] of { mtype };

byte partner[N] = NOBODY;

proctype subscriber(byte me)
{
	byte callee;

end:
	do
	:: handset[me]!lift(0);
		if
		:: earpiece[me]?dial_tone ->
			atomic {
				select(callee : 0 .. N - 1)
			}
			handset[me]!dial(callee);
			callee = 0;
			if
			:: earpiece[me]?busy_tone
			:: earpiece[me]?connected
			fi
		:: earpiece[me]?connected	/* was being called */
		fi;
		handset[me]!hang_up(0);
		earpiece[me]?silence
	:: earpiece[me]?ringing
	od
}

proctype line(byte me)
{
	byte other;
	bool rings;

end:
	do
	:: line_port[me]?ring(other) ->
		rings = true;
		if
		:: earpiece[me]!ringing
		:: handset[me]?lift(_) -> goto answered
		fi
	:: rings ->
		handset[me]?lift(_);
answered:	rings = false;
		trunk!answer(me, other);
		line_port[me]?through(_);
		earpiece[me]!connected;
		goto talk
	:: !rings && empty(line_port[me]) ->
		handset[me]?lift(_);
		trunk!seize(me, me);
		if
		:: line_port[me]?through(_) -> skip
		:: line_port[me]?ring(other) ->	/* somebody else was faster */
			line_port[me]?engaged(_);
			goto answered
		fi;
		earpiece[me]!dial_tone;
		handset[me]?dial(other);
		trunk!call(me, other);
		if
		:: line_port[me]?engaged(_) -> earpiece[me]!busy_tone
		:: line_port[me]?through(_) -> earpiece[me]!connected
		fi;
talk:		handset[me]?hang_up(_);
		trunk!release(me, 0);
		line_port[me]?cleared(_);
		earpiece[me]!silence;
		other = 0
	od
}

active proctype switch()
{
	byte from, to;
	bool busy[N], talks[N];

end:
	do
	:: trunk?seize(from, _) ->
		if
		:: busy[from] -> line_port[from]!engaged(0)
		:: else -> busy[from] = true; line_port[from]!through(0)
		fi
	:: trunk?call(from, to) ->
		if
		:: busy[to] -> line_port[from]!engaged(0)
		:: else ->
			atomic {
				busy[to] = true;
				partner[from] = to;
				partner[to] = from
			}
			line_port[to]!ring(from)
		fi
	:: trunk?answer(from, to) ->
		assert(partner[from] == to && partner[to] == from);
		bill!begin;
		atomic { talks[from] = true; talks[to] = true }
		line_port[from]!through(0);
		line_port[to]!through(0)
	:: trunk?release(from, _) ->
		if
		:: talks[from] -> bill!finish; atomic { talks[from] = false; talks[partner[from]] = false }
		:: else
		fi;
		atomic { partner[from] = NOBODY; busy[from] = false };
		line_port[from]!cleared(0)
	od
}

active proctype account()
{
	byte calls;

end:
	do
	:: bill?begin -> calls++; assert(calls <= N / 2)
	:: bill?finish -> assert(calls > 0); calls--
	od
}

init {
	byte i;

	atomic {
		for (i : 0 .. N - 1) {
			run line(i);
			run subscriber(i)
		}
	}
}
