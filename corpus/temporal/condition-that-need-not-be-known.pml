// At first `i` is no index. Only where an observer has to know the condition it must be possible to evaluate it.
//! verdict late holds
//! verdict response holds
//! verdict early violated
//! verdict always violated
byte a[2];
byte i = 2;
bool ok;
active proctype A() { i = 1; ok = true }
never late { do :: !ok :: ok -> break od; a[i] == 1 }
never early { do :: a[i] == 1 -> break :: else od }
ltl response { [] (ok -> <> (a[i] == 0)) }
ltl always { [] (a[i] == 0) }
