// Fields may be of all basic types.
//! rule 1.2
//! plain 5/0/5/0/4 ok
mtype = { m };
chan d = [1] of { byte };
chan q = [1] of { bit, bool, byte, short, int, mtype, chan, pid };
active proctype A()
{
	bit a; bool b; byte c; short s; int i; mtype t; chan e; pid p;
	q!1,true,200,-3,100000,m,d,_pid;
	q?a,b,c,s,i,t,e,p;
	assert(a && b && c == 200 && s == -3 && i == 100000 && t == m && e == d && p == 0)
}
