// Two untils in a row.
//! rule 4
//! warning 6
bool a, b, c;
active proctype A() { a = !b; b = !c; c = !a }
ltl p { a U b U c }
