// The escape of an unless guards a select with literal bounds like any other statement. Found by trying combinations by hand.
//! rule 2.7
//! plain 3/0/3/0/2 errors
//! verdict assertions violated
//! verdict deadlock holds
byte i;
active proctype A() { select (i : 1 .. 2) unless { assert(false) } }
