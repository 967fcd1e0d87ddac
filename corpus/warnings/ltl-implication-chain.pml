// Two implications in a row group differently in Spin.
//! rule 4
//! warning 6
bool a, b, c;
active proctype A() { a = !b; b = !c; c = !a }
ltl p { a -> b -> c }
