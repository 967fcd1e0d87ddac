// Values at the limits of their types are fine.
//! rule 10 row 12
byte b = 255;
short s = -32768;
int i = 2147483647;
unsigned u : 3 = 7;
bit t = 1;
active proctype A() { assert(b == 255 && s < 0 && i > 0 && u == 7 && t) }
