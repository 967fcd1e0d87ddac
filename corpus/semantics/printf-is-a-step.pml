// A printf is a step with no effect.
//! rule a
//! plain 5/0/5/0/4 ok
byte x;
active proctype A() { printf("x = %d %u %x %o %c %e %%\n", x, x, x, x, 'a', x); printf("done\n"); x = 1 }
