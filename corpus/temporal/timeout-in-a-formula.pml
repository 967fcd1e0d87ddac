// `timeout` in a formula or claim is true where nobody can move without it.
//! verdict p violated
//! verdict q violated
//! verdict n violated
byte x;
active proctype A() { do :: x < 3 -> x++ :: timeout -> x = 0 od }
ltl p { [] !timeout }
ltl q { [] (timeout -> x < 3) }
never n { do :: timeout -> break :: else od }
