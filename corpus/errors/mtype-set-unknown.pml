// A named mtype that does not exist.
//! rule 10 row 13
//! error 5
mtype:fruit = { apple, pear };
mtype:colour f;
active proctype A() { skip }
