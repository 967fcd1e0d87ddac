// A process that rests at a progress label for ever: `np_` is false there.
//! verdict assertions holds
//! verdict deadlock violated
//! verdict progress holds
//! verdict n holds
byte x;
active proctype A() { x = 1; progress: x == 3 }
never n { do :: true :: np_ -> break od; accept: do :: np_ od }
