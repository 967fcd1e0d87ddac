// A process that asks whether it is enabled itself.
//! rule 1.4
//! verdict assertions violated
active proctype A() { enabled(0) }
