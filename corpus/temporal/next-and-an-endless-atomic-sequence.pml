// S3: what is read for ever is the state before the sequence, also by a formula that counts steps.
//! verdict inside violated
//! verdict before holds
byte x;
active proctype A() { atomic { x = 1; do :: true od } }
ltl inside { X X X (x == 1) }
ltl before { X X X (x == 0) }
