// The same without atomics loses an update.
//! rule 2.2
//! plain 100/63/163/0/13 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
byte done;
active [2] proctype A() { byte t; t = x; t++; x = t; done++; if :: done == 2 -> assert(x == 2) :: else fi }
