// A token goes around three stations by rendezvous.
//! rule 3.2
//! plain 18/0/18/2/22 errors
//! verdict assertions holds
//! verdict deadlock violated
chan c[3] = [0] of { byte };
byte holders;
proctype Station(byte id)
{
	byte n;
	do
	:: c[id]?n -> holders++; assert(holders == 1); holders--; if :: n > 0 -> c[(id + 1) % 3]!n - 1 :: else -> break fi
	od
}
init { atomic { run Station(0); run Station(1); run Station(2) }; c[0]!2 }
