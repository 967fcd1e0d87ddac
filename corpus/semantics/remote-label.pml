// A remote reference tells whether a process is at a label.
//! rule 1.4
//! plain 14/4/18/0/7 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x;
active proctype A() { x = 1; here: x = 2; x = 3 }
active proctype B() { A@here -> assert(x == 1 || x == 2 || x == 3) }
