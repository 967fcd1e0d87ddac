// A receiver with two matching options is taken with each of them.
//! rule 2.3
//! plain 9/0/9/0/5 ok
chan c = [0] of { byte };
byte x;
active proctype S() { c!4 }
active proctype R() { byte v; if :: c?v -> x = 1 :: c?4 -> x = 2 :: c?5 -> x = 3 fi }
