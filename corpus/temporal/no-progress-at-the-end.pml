// At the end no process is at a progress label, for ever.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict n violated
//! differs np_ is false in pan where the last state is repeated
byte x;
active proctype A() { x = 1; x = 2 }
never n { do :: true :: np_ -> break od; accept: do :: np_ od }
