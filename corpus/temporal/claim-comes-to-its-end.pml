// A never claim that comes to its closing brace accepts.
//! verdict n violated
byte x;
active proctype A() { x = 1; x = 2 }
never n { do :: true :: x == 1 -> break od }
