// An atomic with a selection without else blocks in its middle and is resumed.
//! rule 2.2
//! plain 15/4/19/22/9 ok
byte x, y;
active proctype A() { atomic { x = 1; if :: y == 1 -> x = 2 :: y == 2 -> x = 3 fi; x = x + 10 } }
active proctype B() { y = 1; y = 2 }
