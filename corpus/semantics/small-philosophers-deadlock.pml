// Three philosophers who all take the left fork first.
//! rule 3.2
//! plain 26/26/52/27/24 errors
//! verdict assertions holds
//! verdict deadlock violated
#define N 3
byte fork[N] = 1;
active [N] proctype P()
{
	byte r = (_pid + 1) % N;
	do
	:: atomic { fork[_pid] == 1 -> fork[_pid] = 0 };
	   atomic { fork[r] == 1 -> fork[r] = 0 };
	   fork[_pid] = 1;
	   fork[r] = 1
	od
}
