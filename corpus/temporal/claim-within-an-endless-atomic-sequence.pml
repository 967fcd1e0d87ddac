// S3: in an atomic sequence that never ends the claim reads the state before it again and again.
//! verdict never_0 violated
byte x;
active proctype P() { x = 1; atomic { do :: true od } }
never { x == 0; x == 1; x == 1; x == 1 }
