// A provided clause that turns false in the middle of an atomic stops the process there.
//! rule 2.8
//! plain 2/0/2/2/2 errors
//! verdict assertions holds
//! verdict deadlock violated
bool stop;
byte x;
active proctype A() provided (!stop) { atomic { x = 1; stop = 1; x = 2; x = 3 } }
active proctype B() { (x == 3); skip }
