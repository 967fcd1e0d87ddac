// Operands are widened to int before arithmetic, so byte sums do not wrap in an expression.
//! rule 1.2
//! plain 7/0/7/0/6 ok
byte a = 200, b = 100;
short s = 32767;
active proctype A() { assert(a + b == 300); assert(a * b == 20000); assert(s + 1 == 32768); assert(b - a == -100); assert(-a < 0) }
