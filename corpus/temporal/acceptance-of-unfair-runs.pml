// The only accepting cycle leaves out a process that can always move.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict acceptance violated
//! weak acceptance holds
//! strong acceptance holds
bit s, x;
active proctype A() { do :: s == 0 -> x = 1; accept: x = 0 :: s == 1 -> break od }
active proctype B() { s = 1 }
