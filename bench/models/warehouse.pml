/*
 * ROBOTS robots on a warehouse floor of ROWS times COLS cells in one large array. A robot reserves the next cell,
 * moves, and gives the old one back; shelves in every third column leave a passage at both ends.
 * Holds: a cell belongs to one robot at most; no deadlock.
 * States of a plain search: 153,895 by default, 2,591,461 -DROWS=16 -DCOLS=20.
 */

#ifndef ROBOTS
#define ROBOTS 2
#endif
#ifndef ROWS
#define ROWS 8
#endif
#ifndef COLS
#define COLS 10
#endif

#define CELLS (ROWS * COLS)
#define SHELF 255

byte cell[CELLS];	/* 0 free, SHELF, or the number of a robot */


proctype robot(byte me; short at)
{
	short next;

	do
	:: if
		:: atomic { at >= COLS && cell[at - COLS] == 0 -> next = at - COLS; cell[next] = me }
		:: atomic { at + COLS < CELLS && cell[at + COLS] == 0 -> next = at + COLS; cell[next] = me }
		:: atomic { at % COLS > 0 && cell[at - 1] == 0 -> next = at - 1; cell[next] = me }
		:: atomic { at % COLS < COLS - 1 && cell[at + 1] == 0 -> next = at + 1; cell[next] = me }
		fi;
		assert(cell[at] == me && cell[next] == me);
		d_step { cell[at] = 0; at = next; next = 0 }
	od
}

init {
	short i;

	atomic {
		for (i : 0 .. CELLS - 1) {
			if
			:: i % COLS % 3 == 2 && i / COLS > 0 && i / COLS < ROWS - 1 -> cell[i] = SHELF
			:: else
			fi
		}
		for (i : 1 .. ROBOTS) {
			cell[i - 1] = i;
			run robot(i, i - 1)
		}
		i = 0
	}
}
