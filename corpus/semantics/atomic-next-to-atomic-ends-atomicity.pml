// Between two atomics in a row other processes may run.
//! rule 2.2
//! plain 10/4/14/3/6 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A() { atomic { x = 1 }; atomic { x = 2; x = 3 } }
active proctype B() { assert(x != 1) }
