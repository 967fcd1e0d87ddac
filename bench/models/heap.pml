/*
 * A heap of CELLS cells and USERS users who allocate blocks (first fit) and free them in any order. User u wants
 * blocks of u + 2 units of UNIT cells, at most BLOCKS at a time. Each cell says whose it is.
 * Holds: blocks do not overlap, and a user frees only what is its own; no deadlock.
 * States of a plain search: 50,245 by default, 1,046,953 -DBLOCKS=3 -DCELLS=448 -DUNIT=28.
 */

#ifndef USERS
#define USERS 2
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif
#ifndef CELLS
#define CELLS 64
#endif
#ifndef UNIT
#define UNIT 4
#endif

#define NONE (-1)

byte cell[CELLS];	/* 0 if free */

/* Finds the first free run and takes it; `at` is NONE if there is none. */
inline allocate(size, at)
{
	k = 0;
	run_length = 0;
	do
	:: k < CELLS && run_length < size ->
		run_length = (cell[k] == 0 -> run_length + 1 : 0);
		k++
	:: else -> break
	od;
	if
	:: run_length == size ->
		at = k - size;
		do
		:: k > at -> k--; cell[k] = me
		:: else -> break
		od
	:: else -> at = NONE
	fi;
	k = 0;
	run_length = 0
}

inline free(size, at)
{
	k = at;
	do
	:: k < at + size ->
		assert(cell[k] == me);
		cell[k] = 0;
		k++
	:: else -> break
	od;
	k = 0;
	at = NONE
}

proctype user(byte me; short size)
{
	short block[BLOCKS] = NONE;
	short k, run_length;
	byte b;

	do
	:: select(b : 0 .. BLOCKS - 1);
		if
		:: d_step { block[b] == NONE -> allocate(size, block[b]) }
		:: d_step { block[b] != NONE -> free(size, block[b]) }
		fi;
		b = 0
	od
}

init {
	byte i;

	atomic {
		for (i : 1 .. USERS) {
			run user(i, (i + 2) * UNIT)
		}
		i = 0
	}
}
