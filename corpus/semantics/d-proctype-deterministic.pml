// A D_proctype whose options exclude each other is an ordinary process.
//! rule 2.22
//! plain 7/0/7/0/6 ok
byte x;
active D_proctype A() { do :: x < 2 -> x++ :: x >= 2 -> break od }
