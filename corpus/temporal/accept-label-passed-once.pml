// A label that is passed only once is in no cycle.
//! verdict acceptance holds
byte x;
active proctype A() { accept: x = 1; do :: x = 2 :: x = 3 od }
