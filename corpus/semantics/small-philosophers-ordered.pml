// Three philosophers who take the lower fork first.
//! rule 3.2
//! plain 25/23/48/25/32 ok
#define N 3
bool taken[N];
proctype P(byte lo, hi)
{
	do
	:: atomic { !taken[lo] -> taken[lo] = true };
	   atomic { !taken[hi] -> taken[hi] = true };
	   taken[hi] = false;
	   taken[lo] = false
	od
}
init { atomic { run P(0, 1); run P(1, 2); run P(0, 2) } }
