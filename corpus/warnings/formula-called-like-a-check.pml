// A formula with the name of a check that every model has gets another name in reports.
//! rule 4.1
//! warning 6
byte x;
active proctype P() { do :: x = 1 - x od }
ltl progress { []<> (x == 1) }
