// At first `c` is no channel. The claim asks for it when it is.
//! verdict filled holds
//! verdict n violated
chan c;
chan d = [1] of { byte };
bool ok;
active proctype A() { c = d; ok = true; c!1 }
never n { do :: !ok :: ok -> break od; nempty(c); len(c) == 1 }
ltl filled { [] (ok -> <> nempty(c)) }
