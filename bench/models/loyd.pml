/*
 * Sam Loyd's sliding puzzle with ROWS times COLS tiles: the whole state is one permutation in a byte array.
 * From the solved board one reaches half of all permutations: (ROWS * COLS)! / 2 states and the start.
 * Holds: the gap is where it is thought to be; no deadlock.
 * States of a plain search: 20,161 by default, 1,814,401 -DCOLS=5.
 */

#ifndef ROWS
#define ROWS 2
#endif
#ifndef COLS
#define COLS 4
#endif

#define TILES (ROWS * COLS)

byte board[TILES];	/* 0 is the gap */
byte gap;

inline move(from)
{
	board[gap] = board[from];
	board[from] = 0;
	gap = from;
	assert(board[gap] == 0)
}

init {
	d_step {
		do
		:: gap < TILES -> board[gap] = gap; gap++
		:: else -> break
		od;
		gap = 0
	}
	do
	:: d_step { gap % COLS > 0 -> move(gap - 1) }
	:: d_step { gap % COLS < COLS - 1 -> move(gap + 1) }
	:: d_step { gap >= COLS -> move(gap - COLS) }
	:: d_step { gap < TILES - COLS -> move(gap + COLS) }
	od
}
