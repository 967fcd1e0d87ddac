/*
 * A server that starts a process for every request: CLIENTS clients send REQUESTS requests each, up to MOST
 * handlers run at once and end when they have answered.
 * Holds: an answer belongs to the question; handlers never exceed their number; no deadlock.
 * States of a plain search: 37,187 -DCLIENTS=2, 6,306,972 by default.
 */

#ifndef CLIENTS
#define CLIENTS 3
#endif
#ifndef REQUESTS
#define REQUESTS 2
#endif
#ifndef MOST
#define MOST 2
#endif

chan inbox = [1] of { byte, byte };	/* who asks, what */
chan answer[CLIENTS] = [0] of { byte };
byte handlers;

proctype handler(byte who, question)
{
	byte result = 2 * question;

	answer[who]!result;
	handlers--
}

active proctype server()
{
	byte who, question;

	do
	:: handlers < MOST ->
end:		inbox?who, question;
		handlers++;
		assert(handlers <= MOST);
		run handler(who, question);
		who = 0;
		question = 0
	od
}

proctype client(byte me)
{
	byte question, result;

	for (question : 1 .. REQUESTS) {
		inbox!me, question;
		answer[me]?result;
		assert(result == 2 * question);
		result = 0
	}
}

init {
	byte i;

	atomic {
		for (i : 0 .. CLIENTS - 1) {
			run client(i)
		}
	}
}
