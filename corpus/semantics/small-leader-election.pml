// Three stations in a ring pass on the largest number.
//! rule 3.2
//! plain 64/58/122/2/20 ok
chan c[3] = [2] of { byte };
byte leaders;
proctype Station(byte id; chan in, out)
{
	byte n;
	out!id;
end:	do
	:: in?n ->
		if
		:: n > id -> out!n
		:: n == id -> leaders++; assert(leaders == 1 && id == 9); break
		:: n < id
		fi
	od
}
init { atomic { run Station(4, c[0], c[1]); run Station(9, c[1], c[2]); run Station(2, c[2], c[0]) } }
