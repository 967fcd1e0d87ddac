// A printf in a d_step does not stop it.
//! rule 2.4
//! plain 3/0/3/0/2 ok
byte x;
active proctype A() { d_step { printf("start\n"); x = 1; printf("x = %d\n", x) } }
