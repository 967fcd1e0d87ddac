// A producer and a consumer with a channel of two places.
//! rule 3.2
//! plain 53/30/83/0/22 ok
mtype = { item, stop };
chan q = [2] of { mtype, byte };
active proctype Producer() { byte i; for (i : 1 .. 3) { q!item(i) }; q!stop(0) }
active proctype Consumer()
{
	byte v, sum;
	do
	:: q?item(v) -> sum = sum + v
	:: q?stop(_) -> break
	od;
	assert(sum == 6)
}
