// Who waits at a label stays there for ever; who is gone is at no label.
//! verdict assertions holds
//! verdict deadlock violated
//! verdict p holds
//! verdict q violated
//! verdict r holds
byte x;
active proctype A() { x = 1; L: x == 2 }
active proctype B() { M: x == 1 }
ltl p { <> [] A@L }
ltl q { <> [] B@M }
ltl r { <> [] !(B@M) }
