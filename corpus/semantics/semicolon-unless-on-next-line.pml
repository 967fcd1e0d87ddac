// An unless at the start of a line still belongs to the block before it.
//! rule 1.1
//! plain 17/5/22/0/5 ok
byte x, e;
active proctype A()
{
	{
		x = 1
		x = 2
	}
	unless {
		e == 1 -> x = 3
	}
}
active proctype B() { e = 1 }
