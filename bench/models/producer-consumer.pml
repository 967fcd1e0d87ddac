/*
 * Producers and consumers around a ring buffer in shared memory. Taking and putting are single steps; either may be
 * stopped from outside at any point (`unless`), and starts again from scratch.
 * Holds: what is taken was put, in order; the buffer never overflows; no deadlock.
 * States of a plain search: 508,032 by default.
 */

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef PLACES
#define PLACES 3
#endif

#define MODULUS (PLACES + 1)	/* items are numbered modulo this */

byte place[PLACES];
byte head, used;	/* the oldest item, and how many there are */
byte next_in, next_out;
bool stopped;

active [PRODUCERS] proctype producer()
{
	byte made;

again:
	{
		do
		:: made = 1;	/* takes some time */
			d_step {
				used < PLACES ->
				place[(head + used) % PLACES] = next_in;
				next_in = (next_in + 1) % MODULUS;
				used++;
				made = 0
			}
			assert(used <= PLACES)
		od
	} unless {
		stopped -> made = 0
	};
	!stopped;
	goto again
}

active [CONSUMERS] proctype consumer()
{
	byte taken;

again:
	{
		do
		:: d_step {
				used > 0 ->
				assert(place[head] == next_out);
				taken = place[head] + 1;
				place[head] = 0;
				next_out = (next_out + 1) % MODULUS;
				head = (head + 1) % PLACES;
				used--
			}
			taken = 0
		od
	} unless {
		stopped -> taken = 0
	};
	!stopped;
	goto again
}

active proctype operator()
{
	do
	:: stopped = true; stopped = false
	od
}
