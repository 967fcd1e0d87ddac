// Every cycle passes a progress label.
//! verdict progress holds
//! weak progress holds
byte x;
active proctype A() { do :: x < 3 -> x++ :: else -> progress: x = 0 od }
