// A named mtype may be a message field and a parameter.
//! rule 1.2
//! plain 7/0/7/0/6 ok
mtype:req = { get, put };
mtype:ans = { ok, bad };
chan q = [2] of { mtype:req, mtype:ans };
proctype P(mtype:req r) { mtype:ans a; q?eval(r),a; assert(a == bad) }
init { q!put(bad); run P(put) }
