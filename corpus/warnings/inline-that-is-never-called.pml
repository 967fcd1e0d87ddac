// What depends on a call is no error: parameters stand for anything. Names that nothing declares, and unknown inlines, are told.
//! warning 6
//! warning 7
typedef T { byte a }
byte g;
inline unknown(x) { x = y }
inline calls(x) { absent(x) }
inline types(TYPE, v) { TYPE v; v = 1 }
inline calling(f) { f(g); skip }
inline labels(L) { do :: g > 0 -> goto L :: else -> break od; L: skip }
inline locals(v) { byte tmp; tmp = v; g = tmp }
inline nothing() { }
inline sends(q, m) { atomic { q!m; q?m } }
inline again(n) { again(n) }
inline fields(s) { s.a = g; s.a++; P:k == 1; local_of_a_caller = local_of_a_caller + 1 }
active proctype P() { byte k; byte local_of_a_caller; g = 0; end: k == g; local_of_a_caller = k; assert(local_of_a_caller == 0) }
