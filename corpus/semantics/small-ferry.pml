// Wolf, goat and cabbage with a macro for each condition.
//! rule 3.2
//! plain 20/21/41/70/29 errors
//! verdict assertions violated
//! verdict deadlock violated
bit man, wolf, goat, cabbage;
#define safe ((man == goat) || (wolf != goat && goat != cabbage))
active proctype P()
{
	do
	:: atomic { man == wolf -> man = 1 - man; wolf = man; safe }
	:: atomic { man == goat -> man = 1 - man; goat = man; safe }
	:: atomic { man == cabbage -> man = 1 - man; cabbage = man; safe }
	:: atomic { man = 1 - man; safe }
	:: assert(!(man && wolf && goat && cabbage))
	od
}
