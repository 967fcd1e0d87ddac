// An atomic of one statement is like the statement.
//! rule 2.2
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { atomic { x = 1 }; x = 2 }
