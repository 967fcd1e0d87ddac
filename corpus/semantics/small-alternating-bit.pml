// A sender and a receiver with one bit over a medium that loses messages.
//! rule 3.2
//! plain 25/4/29/0/21 ok
chan data = [1] of { bit };
chan ack = [1] of { bit };
active proctype Sender()
{
	bit s, a;
	do
	:: data!s;
	   if
	   :: ack?a -> if :: a == s -> s = 1 - s :: else fi
	   :: timeout
	   fi
	od
}
active proctype Receiver()
{
	bit r, e;
	do
	:: data?r -> if :: r == e -> e = 1 - e :: else fi; ack!r
	:: data?_
	od
}
