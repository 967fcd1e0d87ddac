// A receiver with an else beside two receives.
//! rule 2.5
//! plain 8/0/8/0/5 ok
chan c = [0] of { byte };
byte x;
active proctype S() { end: c!4 }
active proctype R() { byte v; do :: c?v -> x = 1; break :: c?5 -> x = 3 :: else -> x = 7; break od }
